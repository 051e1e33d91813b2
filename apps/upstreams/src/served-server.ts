import type { Bus } from '@portico/bus';
import { serverStatus } from '@portico/contracts';
import type { ServerStatus } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import { HeldSession } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import type { UpstreamsConfig } from './config.js';
import { connectTarget } from './connect-target.js';
import { connectionRevision, serverRevision } from './configured-server.js';
import type { ConfiguredServer } from './configured-server.js';
import { upstreamService } from './upstream-service.js';

export const VERSION = '0.1.0';

export interface ServingParts {
  readonly bus: Bus;
  readonly config: UpstreamsConfig;
  /** Names this process among those that serve the same server. */
  readonly instance: string;
  readonly log: Log;
}

/** One configured server, served on the bus by this process. */
export interface ServedServer {
  /**
   * Takes over a changed entry in place. False, and nothing has changed, when the change concerns the connection: it must
   * be closed and opened anew.
   */
  adopt(changed: ConfiguredServer): boolean;
  /** Says bye, lets what runs finish, ends its sessions; resolves when nothing of it is left. Idempotent. */
  close(): Promise<void>;
}

/** Serves one server; connects nothing. Rejects, with nothing left open, when the bus takes no subscription. */
export async function serveServer(
  configured: ConfiguredServer,
  { bus, config, instance, log: parentLog }: ServingParts,
): Promise<ServedServer> {
  let current = configured;
  const { name, connectTimeoutMs } = configured.entry;
  const log = parentLog.child({ server: name });
  const session = new HeldSession(() => connectTarget(current.entry, { ...config, folder: configured.folder }, log), {
    name,
    clientInfo: { name: 'portico', version: VERSION },
    connectTimeoutMs,
    answerLimitBytes: config.answerLimitBytes,
    log: parentLog,
  });
  const { callTimeoutMs } = config;
  const service = upstreamService(() => current.entry, session, {
    version: VERSION,
    callTimeoutMs,
    configuration: connectionRevision(configured),
  });
  const source = await serveSource(bus, service, { instance, log });
  const status = await bus.serve(serverStatus(name), async ({ attempt }, { signal }): Promise<ServerStatus> => {
    let tools: readonly { readonly name: string }[] | undefined = session.known?.tools;
    try {
      if (attempt === 'reconnect') await session.reconnect({ signal });
      if (attempt !== 'none') ({ tools } = await session.catalogue({ refresh: attempt === 'reconnect', signal }));
    } catch (error) {
      // It shows in the state; whoever looks need not be told twice.
      log.debug('upstream.not-reached', { error });
    }
    const { state, facts, lastError, since, stderr } = session;
    return {
      state: state === 'closed' ? 'idle' : state,
      era: facts?.era ?? null,
      protocolVersion: facts?.protocolVersion ?? null,
      tools: tools?.map((tool) => tool.name) ?? null,
      error: lastError ?? null,
      since: since.toISOString(),
      stderr: [...stderr],
    };
  });
  session.onChanged(() => source.changed());
  session.onResourceUpdated((uri) => source.resourceUpdated(uri));
  let closing: Promise<void> | undefined;
  return {
    adopt(changed) {
      if (connectionRevision(changed) !== connectionRevision(current)) return false;
      const same = serverRevision(changed) === serverRevision(current);
      current = changed;
      if (!same) source.changed();
      return true;
    },
    close: () =>
      (closing ??= (async () => {
        await Promise.all([source.close(), status.close()]);
        await session.close();
      })()),
  };
}
