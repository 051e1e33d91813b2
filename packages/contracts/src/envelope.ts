import { z } from 'zod';
import { Executed, FaultCode } from './fault.js';

/** `_meta` key under which every result of ours carries its envelope. */
export const ENVELOPE_META_KEY = 'portico/envelope';
export const ENVELOPE_VERSION = '1';
/** Longest `error.message` a caller is shown, in characters. */
export const MESSAGE_LIMIT = 500;

export const ServedFrom = z.enum(['backend', 'exact', 'semantic', 'coalesced']);
export type ServedFrom = z.infer<typeof ServedFrom>;

/** The result contract: the same few facts about every call, whatever domain answered it. */
export const Envelope = z.object({
  contract_version: z.literal(ENVELOPE_VERSION),
  ok: z.boolean(),
  error: z
    .object({
      code: FaultCode,
      message: z.string().max(MESSAGE_LIMIT),
      executed: Executed,
      retryable: z.boolean(),
      retry_after_ms: z.number().nonnegative().optional(),
    })
    .nullable(),
  meta: z.object({
    domain: z.string(),
    /** The tool's name without its domain. */
    tool: z.string(),
    duration_ms: z.number().nonnegative(),
    correlation_id: z.string(),
    task_id: z.string().optional(),
    agent: z.string().optional(),
    lease_ref: z.string().optional(),
    served_from: ServedFrom,
    age_ms: z.number().nonnegative().optional(),
    similarity: z.number().optional(),
    stale: z.boolean().optional(),
  }),
});
export type Envelope = z.infer<typeof Envelope>;
