import { dirname } from 'node:path';
import type { Bus } from '@portico/bus';
import { serveSource } from '@portico/domain-kit';
import { HeldSession } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import type { UpstreamsConfig } from './config.js';
import { connectTarget } from './connect-target.js';
import type { ServerEntry } from './server-entry.js';
import { upstreamService } from './upstream-service.js';

const VERSION = '0.1.0';

/** One configured server, served on the bus until it is closed. */
export interface ServedServer {
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
  return {
    close: async () => {
      await source.close();
      await session.close();
    },
  };
}
