import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseServerEntry } from './server-entry.js';
import type { ServerEntry } from './server-entry.js';

const { resolve } = createRequire(import.meta.url);

/** The entries served when no servers file says otherwise. Both programs are dependencies: nothing is downloaded. */
export const builtinServers = (home: string): ServerEntry[] => [
  parseServerEntry('files', {
    command: process.execPath,
    args: [resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), '{workspace}'],
    description: 'Reads and writes the files of the workspace folder.',
  }),
  parseServerEntry('memory', {
    command: process.execPath,
    args: [resolve('@modelcontextprotocol/server-memory/dist/index.js')],
    env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
    description: 'Remembers entities, relations and observations between conversations.',
  }),
];
