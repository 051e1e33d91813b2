import type { ReplyOf, SourceAddress, SourceSummary, discoveryHealth } from '@portico/contracts';
import type { BreakerState } from '@portico/resilience';
import { stateOf } from './source-facts.js';
import type { Reading, SourceFacts } from './source-facts.js';

export type SourceHealth = ReplyOf<typeof discoveryHealth>['sources'][number];

/** What everybody is told of a source, in whole milliseconds. */
export function summaryOf(source: SourceAddress, facts: SourceFacts | undefined, reading: Reading): SourceSummary {
  const { held, failure } = facts ?? {};
  const state = stateOf(facts, reading);
  return {
    source,
    state,
    ...(held &&
      state !== 'unavailable' && {
        revision: held.revision,
        ageMs: Math.max(0, Math.round(reading.now - held.at)),
      }),
    ...(failure && { error: failure.error }),
    ...(failure && state === 'unavailable' && { since: isoOf(failure.since) }),
  };
}

/** The same for those who look after it. `silent`: no instance of it is heard. */
export function healthOf(
  source: SourceAddress,
  facts: SourceFacts | undefined,
  { silent, breaker, ...reading }: Reading & { silent: boolean; breaker: BreakerState },
): SourceHealth {
  const { state, error, ageMs } = summaryOf(source, facts, reading);
  const checkedAt = facts && Math.max(facts.successAt ?? -Infinity, facts.failureAt ?? -Infinity);
  const isDown = state === 'unavailable' || (silent && error !== undefined) || breaker === 'open';
  return {
    source,
    state: isDown ? 'down' : state === 'pending' ? 'unknown' : error || breaker !== 'closed' ? 'degraded' : 'up',
    breaker,
    ...(error && { lastError: error }),
    ...(checkedAt !== undefined && Number.isFinite(checkedAt) && { checkedAt: isoOf(checkedAt) }),
    ...(ageMs !== undefined && { catalogueAgeMs: ageMs }),
    ...(facts?.successAt !== undefined && { lastSuccessAt: isoOf(facts.successAt) }),
    ...(facts?.failureAt !== undefined && { lastFailureAt: isoOf(facts.failureAt) }),
    ...(facts?.latencyMs !== undefined && { latencyMs: Math.round(facts.latencyMs) }),
    ...(facts && { consecutiveFailures: facts.failuresInARow }),
  };
}

const isoOf = (at: number): string => new Date(at).toISOString();
