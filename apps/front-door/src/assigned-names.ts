import { FIXED_DOMAINS } from '@portico/contracts';
import type { LeftOut } from './left-out.js';
import type { PreparedSource } from './prepared-source.js';
import { borrowedSpellings, fold, shownNames, type NameStyle } from './tool-names.js';

interface Nameless {
  readonly domain: string;
  readonly name: string;
  readonly published: string;
}

interface Assignment<P, T> {
  readonly kind: 'tool' | 'prompt';
  readonly style: NameStyle;
  readonly of: (source: PreparedSource) => readonly P[];
  readonly make: (item: P, shown: string) => T;
  readonly report: (left: LeftOut) => void;
}

export const fixedDomains: ReadonlySet<string> = new Set(FIXED_DOMAINS);

/** Why a server at the root may not publish this name; `undefined` when it may. */
const rootFault = (published: string, ours: ReadonlySet<string>): string | undefined => {
  const dot = published.indexOf('.');
  if (dot > 0 && fixedDomains.has(published.slice(0, dot))) return 'its name begins with a domain of our own';
  if (ours.has(published) || ours.has(fold(published))) return 'it would answer in the place of a tool of our own';
  return undefined;
};

/**
 * Gives every tool (or prompt) of every source the name it is shown by, and reports those that can have none. `sources`
 * come in the order in which they may claim a name.
 */
export const assignNames = <P extends Nameless, T>(sources: readonly PreparedSource[], by: Assignment<P, T>): T[] => {
  const ours = borrowedSpellings(
    sources.filter(({ domain }) => fixedDomains.has(domain)).flatMap((source) => [...by.of(source)]),
  );
  const claimed = new Map<string, P>();
  for (const source of sources)
    for (const item of by.of(source)) {
      const taken = claimed.has(item.published) ? 'its name is published already' : undefined;
      const reason = taken ?? (source.identity.mount === 'root' ? rootFault(item.published, ours) : undefined);
      if (reason === undefined) claimed.set(item.published, item);
      else by.report({ domain: item.domain, kind: by.kind, name: item.name, reason });
    }
  const shown = shownNames([...claimed.keys()], by.style);
  const made: T[] = [];
  let index = 0;
  for (const item of claimed.values()) {
    const name = shown[index++];
    if (name !== undefined) made.push(by.make(item, name));
    else by.report({ domain: item.domain, kind: by.kind, name: item.name, reason: 'its shortened name is taken' });
  }
  return made;
};
