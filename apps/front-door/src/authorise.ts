import { Fault } from '@portico/contracts';
import type { FrontDoor } from './front-door.js';
import type { McpRequest } from './mcp-request.js';
import type { Ruled } from './policy/policy.js';

/** Throws PERMISSION_DENIED for what the policy does not let the caller see. `shown` is what the caller knows it by. */
export function authorise(thing: Ruled, shown: string, { principal }: McpRequest, door: FrontDoor): void {
  if (door.policy.current.accessOf(principal).allows(thing)) return;
  throw new Fault('PERMISSION_DENIED', `The policy does not let you use ${shown}.`, { executed: 'no' });
}
