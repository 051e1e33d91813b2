import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ConfiguredServer } from './configured-server.js';
import { parseServerEntry } from './server-entry.js';

const { resolve } = createRequire(import.meta.url);
const UNRESTRICTED = { serverSecrets: new Set<string>(), stdioByApi: true };

/**
 * The servers there are while no servers file says otherwise. Both programs are dependencies: nothing is downloaded.
 * `home`, `folder`: absolute; the latter is where they run.
 */
export const builtinServers = (home: string, folder: string): ConfiguredServer[] =>
  Object.entries({
    files: {
      command: process.execPath,
      args: [resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), '{workspace}'],
      description: 'Reads and writes the files of the workspace folder.',
    },
    memory: {
      command: process.execPath,
      args: [resolve('@modelcontextprotocol/server-memory/dist/index.js')],
      env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
      description: 'Remembers entities, relations and observations between conversations.',
    },
  }).map(([spelled, given]) => ({
    spelled,
    source: 'builtin',
    folder,
    entry: parseServerEntry({ spelled, given, by: 'builtin', others: [], policy: UNRESTRICTED }),
  }));
