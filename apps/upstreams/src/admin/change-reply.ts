import type { EntryErrorCode, ServerChange } from '@portico/contracts';
import type { ConfiguredServer } from '../configured-server.js';
import { EntryRefusal } from '../entry-refusal.js';
import { normalisedName } from '../server-name.js';
import type { AdminParts } from './admin-parts.js';
import { presentState } from './server-state.js';

/** A change is answered after so many milliseconds, also when what it replaces is slow to end. */
const APPLY_MS = 5_000;

/**
 * Makes a change, alone, and answers with the server as it is then; with why not when `change` throws an EntryRefusal, and
 * then nothing has changed.
 */
export async function changed(
  { bus, configuration }: AdminParts,
  name: string,
  change: () => Promise<void>,
): Promise<ServerChange> {
  const limit = new AbortController();
  try {
    let made = false;
    const applied = configuration.change(async () => {
      await change();
      made = true;
    });
    const patience = setTimeout(() => limit.abort(), APPLY_MS);
    await Promise.race([
      applied,
      new Promise<void>((resolve) => limit.signal.addEventListener('abort', () => made && resolve())),
    ]).finally(() => clearTimeout(patience));
  } catch (error) {
    if (!(error instanceof EntryRefusal)) throw error;
    return refusalReply(error);
  }
  const server = configuration.servers.find(({ entry }) => entry.name === normalisedName(name));
  return { ok: true, ...(server && { server: await presentState(bus, server) }) };
}

export function refusalReply({ code, field, message }: EntryRefusal): ServerChange {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return { ok: false, error: { code, ...(field !== undefined && { field }), message: sentence } };
}

/** The server of that name, as it is published or as it was written. Throws UNKNOWN_SERVER. */
export function serverNamed({ configuration }: AdminParts, name: string): ConfiguredServer {
  const found = configuration.servers.find(({ entry }) => entry.name === normalisedName(name));
  if (found === undefined) throw unknownServer(name);
  return found;
}

export const unknownServer = (name: string): EntryRefusal =>
  new EntryRefusal('UNKNOWN_SERVER', 'name', `there is no server of the name ${JSON.stringify(name.slice(0, 64))}`);

export const refuse = (code: EntryErrorCode, field: string, sentence: string): never => {
  throw new EntryRefusal(code, field, sentence);
};
