import type { Bus } from '@portico/bus';
import { serverStatus } from '@portico/contracts';
import type { ServerState, ServerStatus } from '@portico/contracts';
import type { ConfiguredServer } from '../configured-server.js';
import type { RefusedServer } from '../merged-servers.js';

/** Lines of standard error of one server, and characters of each. */
const STDERR_LINES = 20;
const STDERR_CHARS = 300;
/** Lines of all servers together: their list has to fit one message. */
const ALL_STDERR_LINES = 600;
const LOOK_MS = 500;

export type Attempt = 'none' | 'connect' | 'reconnect';

/** Asks whichever instance holds a server how it is, within `deadlineMs`. Undefined: nobody told in that time. */
export const statusOf = (
  bus: Bus,
  name: string,
  attempt: Attempt,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<ServerStatus | undefined> =>
  bus
    .ask(serverStatus(name), { attempt }, { deadlineMs: Math.max(1, deadlineMs), ...(signal && { signal }) })
    .catch(() => undefined);

/** How a configured server is now, without trying it. */
export async function presentState(bus: Bus, server: ConfiguredServer): Promise<ServerState> {
  const { name, enabled } = server.entry;
  return stateOf(server, enabled ? await statusOf(bus, name, 'none', LOOK_MS) : undefined);
}

/** A server as its operators see it, among so many; `status` undefined: nobody has told how it is. */
export function stateOf({ source, entry }: ConfiguredServer, status: ServerStatus | undefined, among = 1): ServerState {
  const hiddenTools = [...entry.hiddenTools].sort();
  const shown = {
    name: entry.name,
    transport: entry.transport.kind,
    source,
    enabled: entry.enabled,
    hiddenTools,
  };
  if (!entry.enabled) return { ...shown, ...UNKNOWN, state: 'disabled' };
  if (status === undefined) return { ...shown, ...UNKNOWN };
  const lines = Math.max(1, Math.min(STDERR_LINES, Math.floor(ALL_STDERR_LINES / among)));
  return {
    ...shown,
    ...status,
    tools: (status.tools ?? []).filter((tool) => !entry.hiddenTools.has(tool)).length,
    stderr: status.stderr.slice(-lines).map((line) => line.slice(0, STDERR_CHARS)),
  };
}

/** A saved entry that is not served, and why. */
export const refusedState = ({ name, transport, reason }: RefusedServer): ServerState => ({
  ...UNKNOWN,
  name,
  transport,
  source: 'api',
  enabled: true,
  hiddenTools: [],
  state: 'failed',
  error: reason,
});

const UNKNOWN = {
  state: 'idle' as const,
  era: null,
  protocolVersion: null,
  tools: 0,
  error: null,
  since: null,
  stderr: [] as string[],
};
