import { pathSegment } from '@portico/domain-kit';
import { z } from 'zod';

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const KEY = '[A-Z0-9][A-Z0-9_]{0,11}-[1-9][0-9]{0,8}';

/** One spelling each: a lease on a thing under one name must be the lease on it under every name. */
export const ProjectIdentifier = pathSegment(/^[A-Z0-9][A-Z0-9_]{0,11}$/).describe(
  'identifier of the project, such as SHOP; plane.list_projects has them',
);
export const WorkItemKey = pathSegment(new RegExp(`^${KEY}$`)).describe('key of the work item, such as SHOP-12');
export const WorkItemKeyOrId = pathSegment(new RegExp(`^${KEY}$|^${UUID}$`)).describe(
  'key of the work item, such as SHOP-12, or its id, a UUID; with an id the project is needed',
);
export const WorkItemName = pathSegment(new RegExp(`^${KEY}$|^portico-${UUID}$`)).describe(
  'key of the work item, such as SHOP-12; for one that is declared and that Plane does not have yet, the external_id that plane.create_work_item gave',
);

export const Cursor = z
  .string()
  .regex(/^(?:[1-9][0-9]?|100):[0-9]{1,6}:0$/)
  .describe('next_cursor of the answer before, for what comes next');

const words = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of whole characters, without control characters');

const text = (longest: number) =>
  z
    .string()
    .max(longest)
    // eslint-disable-next-line no-control-regex -- they are what is refused
    .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\p{Cs}]*$/u, 'must be text without control characters');

export const SearchWords = words(200);
export const CommentText = text(20_000).refine((given) => given.trim() !== '', { message: 'must not be empty' });

/** What callers may say of a work item; all that may be declared. */
export const fields = {
  name: words(255).describe('title, one line'),
  state: words(255).describe('name of a state of the project, such as Todo; plane.list_states has them'),
  priority: z.enum(['urgent', 'high', 'medium', 'low', 'none']),
  labels: z
    .array(words(255))
    .max(20)
    .refine((labels) => new Set(labels).size === labels.length, { message: 'must name each label once' })
    .describe('names of labels of the project, all that the item is to have; plane.list_labels has them'),
  description: text(50_000).describe('plain text; blank lines divide paragraphs'),
};
