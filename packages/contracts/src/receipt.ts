import { z } from 'zod';
import type { Announcement } from './call.js';
import { ServedFrom } from './envelope.js';
import { Executed, FAULT_CODES } from './fault.js';

/** What is kept of one execution: who called what, and how it ended. Never arguments, results, prompts or secrets. */
export const Receipt = z.object({
  /** ISO 8601: when it ended. */
  at: z.string(),
  /** The front door's instance, and its own running number. */
  front_door: z.string(),
  seq: z.int().positive(),
  tenant: z.string(),
  subject: z.string(),
  domain: z.string(),
  /** The tool's name without its domain. */
  tool: z.string(),
  code: z.enum(['OK', ...FAULT_CODES]),
  executed: Executed,
  duration_ms: z.number().nonnegative(),
  served_from: ServedFrom,
  /** Nobody called: the gateway checked an answer that it had given from the cache. */
  shadow: z.boolean().optional(),
  correlation_id: z.string(),
  task_id: z.string().optional(),
  agent: z.string().optional(),
  lease_ref: z.string().optional(),
});
export type Receipt = z.infer<typeof Receipt>;

/** Executions that ended, told behind their answers; those that ended together are told together, in their order. */
export const receiptsWritten = {
  subject: 'front-door.receipts-written',
  payload: z.object({ receipts: z.array(Receipt) }),
} satisfies Announcement;
