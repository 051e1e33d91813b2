import type { Effect, Principal, ToolPolicy } from '@portico/contracts';

/** A thing that is published, as rules see it. */
export interface Ruled {
  /** `<domain>.<name>` before any shortening or folding, also where it is shown without its domain. */
  readonly fullName: string;
  readonly effect: Effect;
}

/** What one principal may see and call, by one version of the policy. The same object for principals that differ in nothing. */
export interface Access {
  /** Whether nothing at all is denied: lists need no filter then. */
  readonly all: boolean;
  allows(thing: Ruled): boolean;
}

/** The access of those from whom nothing is kept. */
export const EVERYTHING: Access = Object.freeze({ all: true, allows: () => true });

/** One version of the policy; it never changes. */
export interface Policy {
  readonly revision: string;
  /** Whether callers may be of several tenants. */
  readonly severalTenants?: boolean;
  /** The policy of a tool: the first rule that matches laid over what its source declares. */
  toolPolicy(fullName: string, declared: ToolPolicy): ToolPolicy;
  accessOf(principal: Principal): Access;
  /** Full names of tools, by the name of their profile (`operations@1`). */
  readonly profiles: ReadonlyMap<string, readonly string[]>;
}

/** Where the policy in force is found; a changed file gives a new one. */
export interface PolicyInForce {
  readonly current: Policy;
  onChange(listener: (policy: Policy) => void): void;
}
