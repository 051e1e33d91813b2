import type { CallContext, Principal } from '@portico/contracts';
import { below, inSpan } from '@portico/observe';
import type { FrontDoor } from './front-door.js';

/**
 * The one way by which what a client asks reaches a source: calls, reads, prompts and completions share the places of its
 * domain and its breaker. `ask` is given the context to hand on. Rejects with RATE_LIMITED or BACKEND_UNAVAILABLE,
 * `executed: no`, where `ask` was never begun.
 */
export async function askDomain<Reply>(
  address: string,
  principal: Principal,
  context: CallContext,
  { bulkhead, breakers }: Pick<FrontDoor, 'bulkhead' | 'breakers'>,
  ask: (context: CallContext) => Promise<Reply>,
): Promise<Reply> {
  const full = bulkhead.enter(address, principal);
  if (full !== undefined) throw full;
  try {
    return await inSpan('client', 'ask', address, context.traceparent, (span) =>
      breakers.run(address, () => ask(below(span, context))),
    );
  } finally {
    bulkhead.leave(address, principal);
  }
}
