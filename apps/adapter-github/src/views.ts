import type { PullRequest, Topic } from './replies.js';

/** What an issue and a pull request have in common, as agents see it in a list. */
export const topicView = (topic: Topic) => ({
  number: topic.number,
  title: topic.title,
  state: topic.state,
  author: given(topic.user?.login),
  labels: (topic.labels ?? []).flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
  assignees: (topic.assignees ?? []).flatMap((user) => user?.login ?? []),
  comments: given(topic.comments),
  created_at: given(topic.created_at),
  updated_at: given(topic.updated_at),
  closed_at: given(topic.closed_at),
  url: given(topic.html_url),
});

export const pullRequestView = (pull: PullRequest) => ({
  ...topicView(pull),
  draft: given(pull.draft),
  merged_at: given(pull.merged_at),
  /** `owner:branch`: where it comes from may be another repository. */
  head: given(pull.head?.label ?? pull.head?.ref),
  head_sha: given(pull.head?.sha),
  base: given(pull.base?.ref),
});

/** Only what is there: absent reads better than null. */
export const given = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** A text from one character on, at most so many; what is cut off is said, and how to get it if there is a way. */
export function cutText(text: string, from: number, most: number, how: string): string {
  const end = Math.min(from + most, text.length);
  const shown = text.slice(from, end);
  return end < text.length ? `${shown}\n[cut: characters ${from} to ${end} of ${text.length}. ${how}]` : shown;
}
