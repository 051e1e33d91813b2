import { createHash } from 'node:crypto';
import { AccessRules } from './access-rules.js';
import type { Policy } from './policy.js';
import type { PolicyFile } from './policy-schema.js';
import { ToolRules } from './tool-rules.js';

/** How callers are authenticated; in `none` mode all is allowed by default. */
export type AuthMode = 'none' | 'api-key' | 'jwt';

/** A policy, and a sentence about each rule of it that can never count. */
export interface BuiltPolicy {
  readonly policy: Policy;
  readonly warnings: readonly string[];
}

/** The policy that a file's content makes; `{}` where there is no file. */
export function buildPolicy(file: PolicyFile, authMode: AuthMode): BuiltPolicy {
  const tools = new ToolRules(file.tools ?? []);
  const access = new AccessRules(file.access ?? [], authMode === 'none');
  const policy: Policy = Object.freeze({
    revision: createHash('sha256')
      .update(JSON.stringify([authMode, file]))
      .digest('hex')
      .slice(0, 32),
    severalTenants: authMode !== 'none',
    toolPolicy: (fullName, declared) => tools.policyOf(fullName, declared),
    accessOf: (principal) => access.accessOf(principal),
    profiles: new Map(Object.entries(file.profiles ?? {}).map(([name, names]) => [name, [...new Set(names)]])),
  } satisfies Policy);
  return { policy, warnings: [...tools.warnings(), ...access.warnings()] };
}
