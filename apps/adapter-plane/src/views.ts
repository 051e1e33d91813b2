import { given } from '@portico/domain-kit';
import { idOf, nameOf } from './replies.js';
import type { Related, WorkItem } from './replies.js';

/** A work item as agents see it: what they decide by, in names. */
export const workItemView = (item: WorkItem, key: string) => ({
  key,
  id: item.id,
  name: item.name,
  state: nameOf(item.state),
  ...(typeof item.state === 'object' && item.state?.group != null && { state_group: item.state.group }),
  priority: given(item.priority),
  labels: namesOf(item.labels),
  assignees: namesOf(item.assignees),
  parent_id: idOf(item.parent),
  start_date: given(item.start_date),
  target_date: given(item.target_date),
  updated_at: given(item.updated_at),
});

const namesOf = (related: readonly Related[] | null | undefined): string[] =>
  (related ?? []).flatMap((each) => nameOf(each) ?? []);
