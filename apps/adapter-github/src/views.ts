import { given } from '@portico/domain-kit';
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
