import { z } from 'zod';
import type { Announcement, Call } from './call.js';
import { PATTERN_LIMIT, isDotGlob } from './dot-glob.js';
import { ToolResult } from './tool-call.js';

/** Names of tools by dot-glob. */
export const ToolPattern = z.string().max(PATTERN_LIMIT).refine(isDotGlob, 'takes a dot-glob over names of tools');

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A question to the cache: what must be equal as hashes, what may be similar as text. */
export const CacheQuestion = z.object({
  tenant: z.string(),
  /** `<domain>.<name>`. */
  tool: z.string(),
  /** Of everything: tenant, access scope, tool, its schema, and all arguments. */
  keyHash: Sha256,
  /** Absent: only an equal question is answered. */
  similar: z
    .object({
      /** Of everything that must be equal: all but the arguments that are free text. */
      structHash: Sha256,
      /** The free text, argument by argument, in the order of the policy. */
      texts: z.array(z.string()),
      /** Least cosine of an entry that is looked at, and least score of one that answers; 0 is a value. */
      candidates: z.number().min(0).max(1),
      threshold: z.number().min(0).max(1),
      verify: z.enum(['verifier', 'cosine']),
      guards: z.enum(['on', 'off']),
    })
    .optional(),
});
export type CacheQuestion = z.infer<typeof CacheQuestion>;

/** Why entries that were near did not answer. */
export const CacheRefusal = z.enum(['numbers', 'negation', 'order', 'score', 'length']);
export type CacheRefusal = z.infer<typeof CacheRefusal>;

export const CacheAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('hit'),
    lane: z.enum(['exact', 'semantic']),
    result: ToolResult,
    /** Milliseconds since it was stored, by the store's clock. */
    ageMs: z.number().nonnegative(),
    /** Of a semantic hit: its score, and the texts that it answered before, for the shadow check. */
    similarity: z.number().optional(),
    texts: z.array(z.string()).optional(),
    epoch: z.int().nonnegative(),
  }),
  z.object({
    kind: z.literal('miss'),
    /** Grows with every invalidation of the tenant: an answer worked out since is stored with it, or not at all. */
    epoch: z.int().nonnegative(),
    refused: CacheRefusal.optional(),
  }),
]);
export type CacheAnswer = z.infer<typeof CacheAnswer>;

/** Looks an answer up, exact first. The caller skips it after its own budget. */
export const lookUpAnswer = {
  subject: 'semantic-cache.look-up',
  request: CacheQuestion,
  reply: CacheAnswer,
  effect: 'read',
  deadlineMs: 1_000,
} satisfies Call;

/** Keeps an answer; nobody waits for it. Not stored: an invalidation came between, the value cap, a full store. */
export const storeAnswer = {
  subject: 'semantic-cache.store',
  request: z.object({
    question: CacheQuestion,
    epoch: z.int().nonnegative(),
    result: ToolResult,
    ttlSeconds: z.number().nonnegative(),
  }),
  reply: z.object({ stored: z.boolean() }),
  effect: 'write',
  deadlineMs: 10_000,
} satisfies Call;

/** Drops a tenant's answers of the tools that a pattern names; they are gone when it answers. */
export const invalidateAnswers = {
  subject: 'semantic-cache.invalidate',
  request: z.object({ tenant: z.string(), patterns: z.array(ToolPattern).min(1).max(64) }),
  reply: z.object({ erased: z.int().nonnegative(), epoch: z.int().nonnegative() }),
  effect: 'write',
  deadlineMs: 5_000,
} satisfies Call;

/** An operator has a tenant's answers deleted, of one tool or all. */
export const eraseAnswers = {
  subject: 'semantic-cache.erase',
  request: z.object({ tenant: z.string().min(1), tool: z.string().min(1).optional() }),
  reply: z.object({ erased: z.int().nonnegative() }),
  effect: 'write',
  deadlineMs: 30_000,
} satisfies Call;

/** An operator gives a tool back its semantic lane, which failed shadow checks had taken. */
export const restoreTool = {
  subject: 'semantic-cache.restore',
  request: z.object({ tool: z.string().min(1) }),
  reply: z.object({ restored: z.boolean() }),
  effect: 'write',
  deadlineMs: 5_000,
} satisfies Call;

/** What a shadow check found: whether an answer that was served is what the tool itself says now. */
export const reportShadowCheck = {
  subject: 'semantic-cache.shadow-check',
  request: z.object({ tool: z.string(), agreed: z.boolean() }),
  reply: z.object({}),
  effect: 'write',
  deadlineMs: 5_000,
} satisfies Call;

/** What the store holds for a tenant. */
export const cacheHoldings = {
  subject: 'semantic-cache.holdings',
  request: z.object({ tenant: z.string() }),
  reply: z.object({
    entries: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    tools: z.array(z.object({ tool: z.string(), precision: z.number().min(0).max(1).optional() })),
  }),
  effect: 'read',
  deadlineMs: 2_000,
} satisfies Call;

/**
 * An invalidation that the cache has not confirmed yet, told before the mutation's answer is returned: every front door goes
 * past the cache for these patterns until it is confirmed, or the longest time an entry may live has passed.
 */
export const invalidationPending = {
  subject: 'front-door.invalidation-pending',
  payload: z.object({ id: z.string(), tenant: z.string(), patterns: z.array(ToolPattern).max(64) }),
} satisfies Announcement;

export const invalidationConfirmed = {
  subject: 'front-door.invalidation-confirmed',
  payload: z.object({ id: z.string() }),
} satisfies Announcement;

/** A mutation has succeeded: what these patterns name may be stale for the tenant. Told to whoever subscribed to it. */
export const wentStale = {
  subject: 'front-door.went-stale',
  payload: z.object({ tenant: z.string(), patterns: z.array(ToolPattern).max(64) }),
} satisfies Announcement;
