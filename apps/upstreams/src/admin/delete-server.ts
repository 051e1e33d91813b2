import type { ServerChange } from '@portico/contracts';
import { normalisedName } from '../server-name.js';
import type { AdminParts } from './admin-parts.js';
import { changed, refuse, serverNamed, unknownServer } from './change-reply.js';

/** Forgets an entry that was saved by API, also one that is not served as things are. */
export const remove = (parts: AdminParts, spelled: string): Promise<ServerChange> =>
  changed(parts, spelled, async () => {
    const { configuration } = parts;
    const name = normalisedName(spelled);
    const server = configuration.servers.find(({ entry }) => entry.name === name);
    if (server === undefined && !configuration.refused.some((one) => one.name === name)) throw unknownServer(spelled);
    if (server !== undefined && serverNamed(parts, spelled).source !== 'api') {
      const where = server.source === 'file' ? 'one of the servers file' : 'built in, but can be switched off';
      refuse('READ_ONLY_ENTRY', 'name', `the server "${name}" is ${where}`);
    }
    await configuration.store.deleteEntry(name);
  });
