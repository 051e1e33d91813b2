import type { ConfiguredServer } from './configured-server.js';
import { EntryRefusal } from './entry-refusal.js';
import type { ApiPolicy } from './entry-rules/rule.js';
import { parseServerEntry } from './server-entry.js';
import { normalisedName } from './server-name.js';
import type { StoredEntry, StoredServers } from './server-store.js';

/** A saved entry that may not be served as things are: the policy has changed since, or its name has been taken. */
export interface RefusedServer {
  readonly name: string;
  readonly spelled: string;
  readonly transport: 'stdio' | 'http';
  readonly reason: string;
}

export interface MergedServers {
  /** In order of name. */
  readonly servers: readonly ConfiguredServer[];
  readonly refused: readonly RefusedServer[];
}

/**
 * The configuration that file, built-in entries and store make together; each rule that a saved entry had to meet is
 * asked again, as the operator may have become stricter since. A name in the file comes before the same one in the store.
 * `stored` undefined: it could not be read yet, and what may have been switched off in it is not served either.
 */
export function mergedServers(
  own: readonly ConfiguredServer[],
  stored: StoredServers | undefined,
  policy: ApiPolicy,
  folder: string,
): MergedServers {
  const servers = own.flatMap((server) => {
    if (server.source !== 'builtin') return [server];
    if (stored === undefined) return [];
    const { enabled, hiddenTools } = stored.builtin.get(server.entry.name) ?? {};
    const entry = {
      ...server.entry,
      ...(enabled !== undefined && { enabled }),
      ...(hiddenTools !== undefined && { hiddenTools: new Set(hiddenTools) }),
    };
    return [{ ...server, entry }];
  });
  const refused: RefusedServer[] = [];
  for (const saved of stored?.entries ?? []) {
    const { spelled, given } = saved;
    try {
      const entry = parseServerEntry({ spelled, given, by: 'api', others: servers, policy });
      servers.push({ spelled, source: 'api', folder, entry });
    } catch (error) {
      if (!(error instanceof EntryRefusal)) throw error;
      refused.push(refusedServer(saved, error));
    }
  }
  servers.sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
  return { servers, refused };
}

const refusedServer = ({ spelled, given }: StoredEntry, refusal: EntryRefusal): RefusedServer => ({
  name: normalisedName(spelled),
  spelled,
  transport: typeof given === 'object' && given !== null && 'command' in given ? 'stdio' : 'http',
  reason: `This entry is not served: ${refusal.message}.`,
});
