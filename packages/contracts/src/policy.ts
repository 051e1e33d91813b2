import { z } from 'zod';

/** What a tool does to the world: only a `read` may be cached or asked again. */
export const Effect = z.enum(['read', 'write', 'destructive']);
export type Effect = z.infer<typeof Effect>;

/** How a tool's answers may be cached. Arguments named in `freeText` may be similar; all others must be equal. */
export const CachePolicy = z.object({
  freeText: z.array(z.string()).optional(),
  ttlSeconds: z.number().nonnegative().optional(),
  candidates: z.number().min(0).max(1).optional(),
  threshold: z.number().min(0).max(1).optional(),
  verify: z.enum(['verifier', 'cosine']).optional(),
  guards: z.enum(['on', 'off']).optional(),
  perSubject: z.boolean().optional(),
  store: z.boolean().optional(),
  volatile: z.array(z.string()).optional(),
});
export type CachePolicy = z.infer<typeof CachePolicy>;

/** Everything the front door needs to know about a tool beyond what MCP says of it. */
export const ToolPolicy = z.object({
  effect: Effect,
  staleness: z.enum(['cached', 'stale']).optional(),
  cache: CachePolicy.optional(),
  invalidates: z.array(z.string()).optional(),
  lease: z.object({ resource: z.string() }).optional(),
  decorate: z.boolean().optional(),
});
export type ToolPolicy = z.infer<typeof ToolPolicy>;
