import type { ServerChange } from '@portico/contracts';
import { EntryRefusal } from '../entry-refusal.js';
import { normalisedName } from '../server-name.js';
import type { AdminParts } from './admin-parts.js';
import { refusalReply, serverNamed } from './change-reply.js';
import { presentState, refusedState, stateOf, statusOf } from './server-state.js';

/** Beyond the connect limit: for what runs on the connection to end, and for the lists to be read. */
const BESIDES_MS = 10_000;
const LONGEST_MS = 195_000;

/** Connects a server anew, whatever its state, and answers with what came of it. One that is switched off is left so. */
export async function test(parts: AdminParts, name: string, signal: AbortSignal): Promise<ServerChange> {
  const { configuration, bus, log } = parts;
  await configuration.refresh().catch((error: unknown) => log.warn('servers.store-not-read', { error }));
  const refused = configuration.refused.find((one) => one.name === normalisedName(name));
  if (refused !== undefined && !configuration.servers.some(({ entry }) => entry.name === refused.name))
    return { ok: true, server: refusedState(refused) };
  try {
    const server = serverNamed(parts, name);
    const { entry } = server;
    if (!entry.enabled) return { ok: true, server: await presentState(bus, server) };
    const deadlineMs = Math.min(entry.connectTimeoutMs + BESIDES_MS, LONGEST_MS);
    const status = await statusOf(bus, entry.name, 'reconnect', deadlineMs, signal);
    return { ok: true, server: status ? stateOf(server, status) : await presentState(bus, server) };
  } catch (error) {
    if (!(error instanceof EntryRefusal)) throw error;
    return refusalReply(error);
  }
}
