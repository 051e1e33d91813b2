import type { ReplyOf, ServerState, ServerStatus, listServers } from '@portico/contracts';
import type { AdminParts } from './admin-parts.js';
import { inTurn } from './in-turn.js';
import { refusedState, stateOf, statusOf } from './server-state.js';

const AT_ONCE = 8;
/** Time for trying, in milliseconds; then each is only looked at, so that the whole is answered within 5 s. */
const TRY_MS = 4_300;
const LOOK_MS = 500;

/** How every server is. Enabled ones that are not connected are tried, 8 at a time; those still at it say so. */
export async function listAll({ bus, configuration, log }: AdminParts): Promise<ReplyOf<typeof listServers>> {
  const end = performance.now() + TRY_MS;
  const left = (): number => end - performance.now();
  await Promise.race([
    configuration.refresh().catch((error: unknown) => log.warn('servers.store-not-read', { error })),
    new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS).unref()),
  ]);
  const { servers, refused, fileError } = configuration;
  const known = new Map<string, ServerStatus>();
  const look = async (names: readonly string[]): Promise<void> => {
    const told = await Promise.all(names.map((name) => statusOf(bus, name, 'none', LOOK_MS)));
    told.forEach((status, index) => status && known.set(names[index]!, status));
  };
  const enabled = servers.filter(({ entry }) => entry.enabled).map(({ entry }) => entry.name);
  await look(enabled);
  // Those that have not been tried for longest come first, so that a few that hang keep no other from its turn.
  const since = (name: string): string => (known.get(name)?.error ? (known.get(name)?.since ?? '') : '');
  const due = enabled
    .filter((name) => known.get(name)?.state !== 'connected' || known.get(name)?.tools == null)
    .sort((a, b) => since(a).localeCompare(since(b)));
  const untold = new Set(due);
  const attempt = async (name: string): Promise<void> => {
    const status = left() > 0 ? await statusOf(bus, name, 'connect', left()) : undefined;
    if (status !== undefined && untold.delete(name)) known.set(name, status);
  };
  // To wait for an attempt that runs already begins none.
  const atIt = due.filter((name) => known.get(name)?.state === 'connecting');
  const idle = due.filter((name) => !atIt.includes(name));
  await Promise.all([...atIt.map(attempt), inTurn(idle, AT_ONCE, attempt)]);
  await look([...untold]);
  const states: ServerState[] = [
    ...servers.map((server) => stateOf(server, known.get(server.entry.name), servers.length)),
    ...refused.filter(({ name }) => !servers.some(({ entry }) => entry.name === name)).map(refusedState),
  ];
  states.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { servers: states, ...(fileError !== undefined && { fileError }) };
}
