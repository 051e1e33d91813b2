import type { EntryErrorCode } from '@portico/contracts';
import type { EntryFields, FieldName } from '../entry-fields.js';
import { EntryRefusal } from '../entry-refusal.js';
import { invalidField } from '../invalid-field.js';
import { normalisedName } from '../server-name.js';

/** What an operator allows in entries that are saved by API. */
export interface ApiPolicy {
  /** Names that references may use. */
  readonly serverSecrets: ReadonlySet<string>;
  readonly stdioByApi: boolean;
}

/** Another entry of the same configuration, as far as a new one may clash with it. */
export interface OtherEntry {
  readonly spelled: string;
  readonly source: 'builtin' | 'file' | 'api';
  readonly entry: { readonly name: string; readonly mount: 'namespace' | 'root' };
}

/** An entry as somebody wrote it, and what its acceptance depends on. */
export interface Draft {
  readonly spelled: string;
  readonly given: unknown;
  readonly by: 'builtin' | 'file' | 'api';
  readonly others: readonly OtherEntry[];
  readonly policy: ApiPolicy;
}

/** One thing that an entry must be. Rules are asked in order, and each may rely on those before it. */
export interface EntryRule {
  readonly id: string;
  refusal(draft: Draft): EntryRefusal | undefined;
}

/** A rule of its own code: `wrong` gives the field and the sentence. */
export const rule = (
  id: string,
  code: EntryErrorCode,
  /** `[field, sentence]` of what is wrong; undefined: nothing. */
  wrong: (draft: Draft, name: string) => readonly [string, string] | undefined,
): EntryRule => ({
  id,
  refusal(draft) {
    const found = wrong(draft, normalisedName(draft.spelled));
    return found && new EntryRefusal(code, found[0], found[1]);
  },
});

/** A rule on the content of fields: the first `[field, path]` that it finds is refused as INVALID_FIELD. */
export const content = (
  id: string,
  find: (fields: EntryFields) => Iterable<readonly [FieldName, ...string[]]>,
): EntryRule => ({
  id,
  refusal({ given }) {
    for (const [field, ...path] of find(given as EntryFields))
      return invalidField(field, (given as EntryFields)[field], path);
    return undefined;
  },
});

/** By what it says it is reached. */
export const kindOf = (given: unknown): 'stdio' | 'http' =>
  Object.hasOwn(given as object, 'command') ? 'stdio' : 'http';
export const keyOf = (given: unknown): string => (kindOf(given) === 'stdio' ? 'command' : 'url');
