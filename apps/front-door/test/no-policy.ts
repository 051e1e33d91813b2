import { EVERYTHING, type Policy } from '../src/policy/policy.js';

/** A policy without rules, by which everybody may do everything. */
export const NO_POLICY: Policy = {
  revision: 'none',
  toolPolicy: (_name, declared) => declared,
  accessOf: () => EVERYTHING,
  profiles: new Map(),
};
