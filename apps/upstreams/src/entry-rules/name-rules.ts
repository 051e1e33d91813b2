import { FIXED_DOMAINS, SourceName } from '@portico/contracts';
import { quoted } from '../invalid-field.js';
import { rule } from './rule.js';
import type { EntryRule } from './rule.js';

const RESERVED: ReadonlySet<string> = new Set(FIXED_DOMAINS);

/** What the name must be, by itself and among the others. */
export const NAME_RULES: readonly EntryRule[] = [
  rule('name-usable', 'INVALID_NAME', ({ spelled }, name) =>
    SourceName.safeParse(name).success
      ? undefined
      : [
          'name',
          `the name ${quoted(spelled)} is not usable, a name takes 1 to 32 characters and begins with a letter or digit`,
        ],
  ),
  rule('name-not-reserved', 'RESERVED_NAME', ({ spelled }, name) =>
    RESERVED.has(name) ? ['name', `the name ${quoted(spelled)} belongs to a domain of the gateway itself`] : undefined,
  ),
  rule('name-writable', 'READ_ONLY_ENTRY', ({ spelled, by, others }, name) => {
    const same = others.find(({ entry }) => entry.name === name);
    if (by !== 'api' || same === undefined || same.source === 'api' || same.spelled !== spelled) return undefined;
    return [
      'name',
      `the server ${quoted(spelled)} is ${same.source === 'file' ? 'one of the servers file' : 'built in'}`,
    ];
  }),
  rule('name-free', 'DUPLICATE_NAME', ({ spelled, by, others }, name) => {
    const same = others.find(({ entry }) => entry.name === name);
    if (same === undefined || (by === 'api' && same.spelled === spelled)) return undefined;
    return ['name', `${quoted(same.spelled)} and ${quoted(spelled)} would both be named "${name}"`];
  }),
];
