import type { EntryFields } from '../entry-fields.js';
import { quoted } from '../invalid-field.js';
import { referencedNames } from '../references.js';
import { textsOf } from './entry-texts.js';
import { kindOf, rule } from './rule.js';
import type { EntryRule } from './rule.js';

/** What is served, and what is allowed to whoever wrote the entry. */
export const POLICY_RULES: readonly EntryRule[] = [
  rule('root-by-file', 'INVALID_FIELD', ({ given, by }) =>
    (given as EntryFields).mount === 'root' && by === 'api'
      ? ['mount', '"mount" is "root", which is for entries of the servers file']
      : undefined,
  ),
  rule('root-once', 'INVALID_FIELD', ({ given, others }) => {
    const root = others.find(({ entry }) => entry.mount === 'root');
    return (given as EntryFields).mount === 'root' && root !== undefined
      ? ['mount', `"mount" is "root", but ${quoted(root.spelled)} is mounted there`]
      : undefined;
  }),
  rule('stdio-by-api', 'STDIO_NOT_ALLOWED', ({ given, by, policy }) =>
    by === 'api' && !policy.stdioByApi && kindOf(given) === 'stdio'
      ? ['command', 'this gateway takes servers over HTTP only when they are saved by API (STDIO_BY_API is off)']
      : undefined,
  ),
  rule('secrets-by-api', 'SECRET_NOT_ALLOWED', ({ given, by, policy }) => {
    if (by !== 'api') return undefined;
    for (const { at, text } of textsOf(given as EntryFields)) {
      const denied = referencedNames(text).find((name) => !policy.serverSecrets.has(name));
      if (denied === undefined) continue;
      return [at.join('.').slice(0, 100), `${quoted(denied)} is not among the names that SERVER_SECRETS allows`];
    }
    return undefined;
  }),
];
