import { createHash } from 'node:crypto';

/** How `tools/list` spells names: `dotted` as published (`files.read`), `folded` for clients that take no dot (`files_read`). */
export type NameStyle = 'dotted' | 'folded';

/** What every MCP revision and every model API accepts. */
export const SHOWN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const SHOWN_LIMIT = 64;
const HASH_DIGITS = 10;

/** Something published under a name: `published` is `<domain>.<name>`, or `name` alone where its source is the root. */
export interface Named {
  readonly domain: string;
  readonly name: string;
  readonly published: string;
  /** What the lists show. */
  readonly shown: string;
}

/** How model APIs that take no dots spell a name: one `_` for each character they refuse. */
export const fold = (name: string): string => name.replace(/[^A-Za-z0-9_-]/gu, '_');

export const publishedName = (domain: string, name: string, mount: 'namespace' | 'root'): string =>
  mount === 'root' ? name : `${domain}.${name}`;

/** The published name cut to fit, told apart from its like by a hash of the whole: the same on every replica. */
const hashed = (published: string, style: NameStyle): string => {
  const spelled = style === 'folded' ? fold(published) : published.replace(/[^A-Za-z0-9_.-]/gu, '_');
  const hash = createHash('sha256').update(published, 'utf16le').digest('hex').slice(0, HASH_DIGITS);
  return `${spelled.slice(0, SHOWN_LIMIT - HASH_DIGITS - 1)}_${hash}`;
};

/**
 * The name to show for each of a list of distinct published names, in their order; `undefined` where none is free.
 * A name that has to be altered (too long, or with a character no client takes) always gets the hash suffix, even where
 * nothing else is spelled like it: what it is called must not depend on its neighbours. Folding alone alters nothing a
 * client could not do itself, so there only names that collide get the suffix, and all of them do.
 */
export const shownNames = (published: readonly string[], style: NameStyle): (string | undefined)[] => {
  const spelled = style === 'folded' ? published.map(fold) : published;
  const uses = new Map<string, number>();
  for (const name of spelled) uses.set(name, (uses.get(name) ?? 0) + 1);
  const plain = spelled.map((name) => (SHOWN_NAME.test(name) && uses.get(name) === 1 ? name : undefined));
  const taken = new Set(plain);
  return published.map((name, index) => {
    if (plain[index] !== undefined) return plain[index];
    const shown = hashed(name, style);
    if (taken.has(shown)) return undefined;
    taken.add(shown);
    return shown;
  });
};

const aliasOf = (item: Named): string => `mcp__${item.domain}__${item.name}`;

type Hit<T> = T | readonly T[];

/** Of items that cannot be told apart, so many are kept: enough to say that there are several, and name some. */
const CANDIDATES_KEPT = 6;

const add = <T>(to: Map<string, T | T[]>, key: string, item: T): void => {
  const known = to.get(key);
  if (known === undefined) to.set(key, item);
  else if (!Array.isArray(known)) {
    if (known !== item) to.set(key, [known, item]);
    // An item comes to all its spellings before the next one comes: only the last can be itself.
  } else if (known.length < CANDIDATES_KEPT && known.at(-1) !== item) known.push(item);
};

/**
 * Every spelling under which a name may be asked for, built once per catalogue; asking is one look into a map or four.
 * The order is: the exact name (as shown or as published), a folded name, `mcp__<server>__<tool>` with the exact server
 * and tool, the same folded. The first that knows the name decides, and what it knows twice is never guessed.
 */
export class NameIndex<T extends Named> {
  readonly #exact = new Map<string, T>();
  readonly #folded = new Map<string, T | T[]>();
  readonly #alias = new Map<string, T | T[]>();
  readonly #foldedAlias = new Map<string, T | T[]>();

  constructor(items: readonly T[]) {
    for (const item of items) {
      this.#exact.set(item.shown, item);
      add(this.#folded, fold(item.published), item);
      add(this.#folded, fold(item.shown), item);
      const alias = aliasOf(item);
      add(this.#alias, alias, item);
      add(this.#foldedAlias, fold(alias), item);
    }
    for (const item of items) if (!this.#exact.has(item.published)) this.#exact.set(item.published, item);
  }

  /** One item, several that cannot be told apart, or nothing. */
  find(name: string): Hit<T> | undefined {
    const exact = this.#exact.get(name);
    if (exact !== undefined) return exact;
    const [folded, alias] = [this.#folded.get(name), this.#alias.get(name)];
    // A server named "mcp" could otherwise take calls that name another one by its alias.
    if (folded !== undefined && alias !== undefined && folded !== alias) return [folded, alias].flat() as T[];
    return folded ?? alias ?? this.#foldedAlias.get(name);
  }
}

/**
 * The spellings by which our own domains' tools may be asked for, exact ones aside. A server mounted at the root that
 * published a tool under one of them would take calls meant for ours.
 */
export const borrowedSpellings = (
  items: readonly { readonly domain: string; readonly name: string; readonly published: string }[],
) => {
  const spellings = new Set<string>();
  for (const { domain, name, published } of items) {
    const alias = `mcp__${domain}__${name}`;
    spellings.add(fold(published)).add(alias).add(fold(alias));
  }
  return spellings;
};
