import { z } from 'zod';
import type { Call } from './call.js';
import { CataloguePage, DiscoveryError, SourceSummary } from './catalogue.js';
import { SourceAddress } from './source.js';

const Overview = z.object({
  revision: z.string(),
  sources: z.array(SourceSummary),
  /** Given while discovery has just started and may not have heard of every source: those that have left since. */
  settling: z.object({ gone: z.array(SourceAddress) }).optional(),
});
const DescribeKnown = z.object({ source: SourceAddress, cursor: z.string().optional() });
const Health = z.object({
  sources: z.array(
    z.object({
      source: SourceAddress,
      state: z.enum(['up', 'degraded', 'down', 'unknown']),
      breaker: z.enum(['closed', 'open', 'half_open']),
      lastError: DiscoveryError.optional(),
      checkedAt: z.string().optional(),
      catalogueAgeMs: z.number().nonnegative().optional(),
      /** ISO 8601, of probes. */
      lastSuccessAt: z.string().optional(),
      lastFailureAt: z.string().optional(),
      /** Milliseconds the last probe took. */
      latencyMs: z.number().nonnegative().optional(),
      /** Probes that failed in a row. */
      consecutiveFailures: z.int().nonnegative().optional(),
    }),
  ),
});

/** Every source that has announced itself and what is known of it, at once; `probe` starts asking those that are due. */
export const discoverCatalogue = {
  subject: 'discovery.catalogue',
  request: z.object({ probe: z.boolean() }),
  reply: Overview,
  effect: 'read',
  deadlineMs: 2_000,
} satisfies Call;

/** One source's catalogue, page by page; a source never yet asked is asked first, within its connect limit. */
export const discoverSource = {
  subject: 'discovery.source',
  request: DescribeKnown,
  reply: CataloguePage,
  effect: 'read',
  deadlineMs: 20_000,
} satisfies Call;

export const discoveryHealth = {
  subject: 'discovery.health',
  request: z.object({}),
  reply: Health,
  effect: 'read',
  deadlineMs: 2_000,
} satisfies Call;
