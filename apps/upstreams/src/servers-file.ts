import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ConfiguredServer } from './configured-server.js';
import { EntryRefusal } from './entry-refusal.js';
import { parseServerEntry } from './server-entry.js';

/** A servers file that can not be used. One sentence: file, entry, field, what it got and what it takes. No secret in it. */
export class ServersFileError extends Error {
  override readonly name = 'ServersFileError';
}

const LIMIT_BYTES = 1_048_576;
const UNRESTRICTED = { serverSecrets: new Set<string>(), stdioByApi: true };

/** The text of a servers file. Throws a ServersFileError when it can not be read, or has more than 1 MiB. */
export function readServersText(path: string): string {
  const file = basename(path);
  let size: number;
  try {
    ({ size } = statSync(path));
    if (size <= LIMIT_BYTES) return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ServersFileError(`MCP_SERVERS_FILE ${file} can not be read (${reason}).`, { cause: error });
  }
  throw new ServersFileError(`MCP_SERVERS_FILE ${file} has ${size} bytes, but it takes at most ${LIMIT_BYTES}.`);
}

/** The servers of a text in the `mcpServers` format; `path` is where it stands. Throws a ServersFileError for the first thing that is wrong. */
export function parseServersFile(path: string, text: string): ConfiguredServer[] {
  const file = basename(path);
  const folder = dirname(path);
  const servers: ConfiguredServer[] = [];
  for (const [spelled, given] of Object.entries(serversOf(file, text))) {
    try {
      const entry = parseServerEntry({ spelled, given, by: 'file', others: servers, policy: UNRESTRICTED });
      servers.push({ spelled, source: 'file', folder, entry });
    } catch (error) {
      if (!(error instanceof EntryRefusal)) throw error;
      const shown = JSON.stringify(spelled.slice(0, 64));
      throw new ServersFileError(`${file}, entry ${shown}: ${error.message}.`, { cause: error });
    }
  }
  return servers;
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
