import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { EntryRefusal } from './entry-refusal.js';
import { parseServerEntry } from './server-entry.js';
import type { ServerEntry } from './server-entry.js';

/** A servers file that can not be used. One sentence: file, entry, field, what it got and what it takes. */
export class ServersFileError extends Error {
  override readonly name = 'ServersFileError';
}

/** The entries of a file in the `mcpServers` format. Throws a ServersFileError for the first thing that is wrong. */
export function readServersFile(path: string): ServerEntry[] {
  const file = basename(path);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ServersFileError(`${file} can not be read (${reason}).`, { cause: error });
  }
  return parseServersFile(file, text);
}

/** `file`: its name, for the sentence. */
export function parseServersFile(file: string, text: string): ServerEntry[] {
  const servers = serversOf(file, text);
  const entries = new Map<string, { spelled: string; entry: ServerEntry }>();
  for (const [spelled, given] of Object.entries(servers)) {
    try {
      const entry = parseServerEntry(spelled, given);
      refuseClash(entry, spelled, entries);
      entries.set(entry.name, { spelled, entry });
    } catch (error) {
      if (!(error instanceof EntryRefusal)) throw error;
      const shown = JSON.stringify(spelled.slice(0, 64));
      throw new ServersFileError(`${file}, entry ${shown}: ${error.message}.`, { cause: error });
    }
  }
  return [...entries.values()].map(({ entry }) => entry);
}

function serversOf(file: string, text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the text, and with it perhaps a secret: only the place is told.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const line = position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`;
    throw new ServersFileError(`${file}${line}: it is not JSON, but it takes { "mcpServers": { … } }.`);
  }
  if (!isObject(parsed) || !isObject(parsed['mcpServers'])) {
    throw new ServersFileError(`${file}: it has no object "mcpServers", but it takes { "mcpServers": { … } }.`);
  }
  const unknown = Object.keys(parsed).find((key) => key !== 'mcpServers' && key !== '$schema');
  if (unknown !== undefined) {
    throw new ServersFileError(
      `${file}: ${JSON.stringify(unknown.slice(0, 64))} is not known here, it takes { "mcpServers": { … } }.`,
    );
  }
  return parsed['mcpServers'];
}

function refuseClash(
  entry: ServerEntry,
  spelled: string,
  taken: Map<string, { spelled: string; entry: ServerEntry }>,
): void {
  const same = taken.get(entry.name);
  if (same !== undefined) {
    const both = `${JSON.stringify(same.spelled.slice(0, 64))} and ${JSON.stringify(spelled.slice(0, 64))}`;
    throw new EntryRefusal('DUPLICATE_NAME', 'name', `${both} would both be named "${entry.name}"`);
  }
  const root = [...taken.values()].find((other) => other.entry.mount === 'root');
  if (entry.mount === 'root' && root !== undefined) {
    throw new EntryRefusal(
      'INVALID_FIELD',
      'mount',
      `"mount" is "root", but ${JSON.stringify(root.spelled)} is mounted there`,
    );
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
