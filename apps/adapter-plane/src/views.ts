import { textOf } from './html-text.js';
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

/** Only what is there: absent reads better than null. */
export const given = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** The text of some HTML from one character on, at most so many; what is cut off is said, and how to get it if there is a way. */
export function cutText(html: string | null | undefined, from: number, most: number, how: string): string | undefined {
  const text = textOf(html);
  const end = Math.min(from + most, text.length);
  const shown = text.slice(from, end);
  return end < text.length ? `${shown}\n[cut: characters ${from} to ${end} of ${text.length}. ${how}]` : shown;
}
