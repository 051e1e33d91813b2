import type { Policy } from './policy/policy.js';

/** What the operator's policy and settings make of every source's tools. */
export interface PublishRules {
  readonly policy: Policy;
  /** Whether the argument `_gateway_context` is shown. */
  readonly contextInSchemas: boolean;
}
