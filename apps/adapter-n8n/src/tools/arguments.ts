import { pathSegment } from '@portico/domain-kit';
import { z } from 'zod';

export const WorkflowId = pathSegment(/^[A-Za-z0-9_-]{1,64}$/).describe(
  'workflow_id of a workflow; n8n.list_workflows has those that are exposed',
);
export const ExecutionId = pathSegment(/^[0-9]{1,20}$/).describe(
  'execution_id of an execution, such as 1432; n8n.list_executions has them',
);
export const Cursor = z
  .string()
  .regex(/^[A-Za-z0-9+/=_-]{1,512}$/)
  .describe('next_cursor of the answer before, for what comes next; the other arguments as they were');
export const Limit = z.int().min(1).max(100).default(20).describe('most of them on the page');

/** One line of text. */
export const words = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of whole characters, without control characters');
