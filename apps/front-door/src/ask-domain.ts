import type { Principal } from '@portico/contracts';
import type { FrontDoor } from './front-door.js';

/**
 * The one way by which what a client asks reaches a source: calls, reads, prompts and completions share the places of its
 * domain and its breaker. Rejects with RATE_LIMITED or BACKEND_UNAVAILABLE, `executed: no`, where `ask` was never begun.
 */
export async function askDomain<Reply>(
  address: string,
  principal: Principal,
  { bulkhead, breakers }: Pick<FrontDoor, 'bulkhead' | 'breakers'>,
  ask: () => Promise<Reply>,
): Promise<Reply> {
  const full = bulkhead.enter(address, principal);
  if (full !== undefined) throw full;
  try {
    return await breakers.run(address, ask);
  } finally {
    bulkhead.leave(address, principal);
  }
}
