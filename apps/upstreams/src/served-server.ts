import { dirname } from 'node:path';
import type { Bus } from '@portico/bus';
import type { ServerState } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import { HeldSession } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import type { UpstreamsConfig } from './config.js';
import { connectTarget } from './connect-target.js';
import type { ServerEntry } from './server-entry.js';
import { upstreamService } from './upstream-service.js';

const VERSION = '0.1.0';

/** How a served server is, without what its entry says. */
export type ServerCondition = Omit<ServerState, 'name' | 'transport' | 'source' | 'enabled' | 'hiddenTools'>;

/** One configured server, served on the bus until it is closed. */
export interface ServedServer {
  /** How it is now. With `connect` it is tried first, until that signal aborts. Never rejects: the condition tells. */
  condition(options?: { connect?: AbortSignal }): Promise<ServerCondition>;
  /** Connects anew, whatever the state. Never rejects: the condition tells. */
  reconnect(signal: AbortSignal): Promise<ServerCondition>;
  /** Says bye, lets what runs finish, and leaves no process, socket or timer. Idempotent. */
  close(): Promise<void>;
}

export interface ServingParts {
  readonly bus: Bus;
  readonly config: UpstreamsConfig;
  readonly log: Log;
  /** Names this process among the instances of the service. */
  readonly instance: string;
}

/** Serves an entry on the bus. Nothing is started or connected to before it is used. */
export async function serveServer(entry: ServerEntry, parts: ServingParts): Promise<ServedServer> {
  const { bus, config } = parts;
  const log = parts.log.child({ server: entry.name });
  const folder = config.serversFile === undefined ? config.workspace : dirname(config.serversFile);
  const session = new HeldSession(() => connectTarget(entry, { ...config, folder }, log), {
    name: entry.name,
    clientInfo: { name: 'portico', version: VERSION },
    connectTimeoutMs: entry.connectTimeoutMs,
    answerLimitBytes: config.answerLimitBytes,
    log: parts.log,
  });
  const service = upstreamService(entry, session, { version: VERSION, callTimeoutMs: config.callTimeoutMs });
  const source = await serveSource(bus, service, { instance: parts.instance, log });
  session.onChanged(() => source.changed());
  session.onResourceUpdated((uri) => source.resourceUpdated(uri));
  const condition = async (): Promise<ServerCondition> => ({
    state: session.state === 'closed' ? 'idle' : session.state,
    era: session.facts?.era ?? null,
    protocolVersion: session.facts?.protocolVersion ?? null,
    tools: 0,
    error: session.lastError ?? null,
    since: new Date(session.since).toISOString(),
    stderr: [...session.stderr],
  });
  return {
    condition: async ({ connect } = {}) => {
      await (connect && session.catalogue({ signal: connect }).catch(() => undefined));
      return condition();
    },
    reconnect: async (signal) => {
      await session.reconnect(signal).catch(() => undefined);
      return condition();
    },
    close: async () => {
      await source.close();
      await session.close();
    },
  };
}
