import { Fault } from '@portico/contracts';
import { z } from 'zod';

/** What is used of Plane's replies; everything else of them is let be. */
export const Id = z.string();
const optionalText = z.string().nullish();

export const Project = z.looseObject({ id: Id, name: z.string(), identifier: z.string(), description: optionalText });
export type Project = z.infer<typeof Project>;

export const State = z.looseObject({ id: Id, name: z.string(), group: optionalText, default: z.boolean().nullish() });
export const Label = z.looseObject({ id: Id, name: z.string(), color: optionalText });
export const Cycle = z.looseObject({
  id: Id,
  name: z.string(),
  start_date: optionalText,
  end_date: optionalText,
});
export const Module = z.looseObject({
  id: Id,
  name: z.string(),
  status: optionalText,
  start_date: optionalText,
  target_date: optionalText,
});
export const Member = z.looseObject({
  id: Id,
  display_name: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  role: z.number().nullish(),
});

/** An id, or the thing itself where it was asked to be expanded. */
const Related = z.union([
  z.string(),
  z.looseObject({ id: Id.nullish(), name: optionalText, display_name: optionalText, group: optionalText }),
]);
export type Related = z.infer<typeof Related>;

export const WorkItem = z.looseObject({
  id: Id,
  sequence_id: z.int(),
  name: z.string(),
  project: Related.nullish(),
  priority: optionalText,
  state: Related.nullish(),
  labels: z.array(Related).nullish(),
  assignees: z.array(Related).nullish(),
  parent: Related.nullish(),
  start_date: optionalText,
  target_date: optionalText,
  created_at: optionalText,
  updated_at: optionalText,
  completed_at: optionalText,
  description_html: optionalText,
  external_id: optionalText,
  external_source: optionalText,
});
export type WorkItem = z.infer<typeof WorkItem>;

export const Comment = z.looseObject({
  id: Id,
  comment_html: optionalText,
  actor: Related.nullish(),
  created_at: optionalText,
  edited_at: optionalText,
});

export const Found = z.looseObject({
  issues: z.array(z.looseObject({ id: Id, name: z.string(), sequence_id: z.int(), project__identifier: z.string() })),
});

/** Some lists are bare arrays; the others come in pages, whose `next_cursor` is there even after the last. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.union([
    z.array(item).transform((results) => ({ results, next_cursor: '', next_page_results: false })),
    z.looseObject({ results: z.array(item), next_cursor: z.string().nullish(), next_page_results: z.boolean() }),
  ]);

export const idOf = (related: Related | null | undefined): string | undefined =>
  (typeof related === 'string' ? related : related?.id) ?? undefined;

export const nameOf = (related: Related | null | undefined): string | undefined =>
  (typeof related === 'string' ? related : (related?.display_name ?? related?.name ?? related?.id)) ?? undefined;

/** The id of the project that an item is in. */
export function projectOf(item: WorkItem): string {
  const id = idOf(item.project);
  if (id !== undefined) return id;
  throw new Fault('UNKNOWN_ERROR', 'Plane did not say which project the work item is in.', { executed: 'no' });
}
