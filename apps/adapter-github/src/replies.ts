import { z } from 'zod';

/** What is used of GitHub's replies; everything else of them is let be. */
const optionalText = z.string().nullish();
const User = z.looseObject({ login: z.string() }).nullish();
const Label = z.union([z.string(), z.looseObject({ name: optionalText })]);
const Branch = z.looseObject({ ref: optionalText, sha: optionalText, label: optionalText }).nullish();

const Entry = z.looseObject({ name: z.string(), type: z.string(), size: z.number().nullish() });
export const Content = z.union([
  z.array(Entry),
  z.looseObject({
    type: z.string(),
    path: z.string(),
    sha: z.string(),
    size: z.number().nullish(),
    content: optionalText,
    encoding: optionalText,
    target: optionalText,
  }),
]);
export type Entry = z.infer<typeof Entry>;

/** Of files that are too large for `Content`. */
export const Blob = z.looseObject({ content: z.string(), encoding: z.literal('base64') });

export const Commit = z.looseObject({
  sha: z.string(),
  html_url: optionalText,
  author: User,
  commit: z.looseObject({
    message: z.string(),
    author: z.looseObject({ name: optionalText, date: optionalText }).nullish(),
  }),
});

/** What issues and pull requests have in common. */
const Topic = z.looseObject({
  number: z.int(),
  title: z.string(),
  state: z.string(),
  html_url: optionalText,
  user: User,
  labels: z.array(Label).nullish(),
  assignees: z.array(User).nullish(),
  comments: z.number().nullish(),
  created_at: optionalText,
  updated_at: optionalText,
  closed_at: optionalText,
  body: optionalText,
});
export type Topic = z.infer<typeof Topic>;

/** GitHub's issues are pull requests, too, told by their `pull_request`. */
export const Issue = Topic.extend({ state_reason: optionalText, pull_request: z.unknown().optional() });

export const PullRequest = Topic.extend({
  draft: z.boolean().nullish(),
  merged_at: optionalText,
  head: Branch,
  base: Branch,
  mergeable_state: optionalText,
  commits: z.number().nullish(),
  additions: z.number().nullish(),
  deletions: z.number().nullish(),
  changed_files: z.number().nullish(),
  requested_reviewers: z.array(User).nullish(),
});
export type PullRequest = z.infer<typeof PullRequest>;
