import type { ServerChange } from '@portico/contracts';
import type { Json } from '@portico/storage';
import { parseServerEntry } from '../server-entry.js';
import type { AdminParts } from './admin-parts.js';
import { changed } from './change-reply.js';

/** Adds an entry, or replaces the one that was saved under the same spelling. */
export const save = (parts: AdminParts, spelled: string, given: unknown): Promise<ServerChange> =>
  changed(parts, spelled, async () => {
    const { configuration, config } = parts;
    const others = [...configuration.servers, ...configuration.refused.map(asTaken)];
    const { name } = parseServerEntry({ spelled, given, by: 'api', others, policy: config });
    await configuration.store.putEntry(name, { spelled, given: given as Json });
  });

/** A saved entry that is not served still has its name. */
const asTaken = ({ name, spelled }: { name: string; spelled: string }) =>
  ({ spelled, source: 'api', entry: { name, mount: 'namespace' } }) as const;
