import type { Bus, Handler } from '@portico/bus';
import { serverStatus } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import { HeldSession } from '@portico/mcp-session';
import type { Failure } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import type { Documents } from '@portico/storage';
import { announcedPolicy } from './builtin-policy.js';
import { closeInTurn, closeTogether } from './closed.js';
import type { UpstreamsConfig } from './config.js';
import { connectTarget } from './connect-target.js';
import { connectionRevision, serverRevision } from './configured-server.js';
import type { ConfiguredServer } from './configured-server.js';
import { secretsOf, withoutSecrets } from './entry-secrets.js';
import { ClientCredentials } from './oauth/client-credentials.js';
import type { Peers } from './ownership/peers.js';
import { notHere, passedOn, routedService, router, serveToPeers } from './ownership/routed-service.js';
import type { Routing } from './ownership/routed-service.js';
import { resolveReferences } from './references.js';
import { ServerSessions } from './sessions/server-sessions.js';
import { storedEra } from './sessions/stored-era.js';
import { upstreamService } from './upstream-service.js';

export const VERSION = '0.1.0';

export interface ServingParts {
  readonly bus: Bus;
  readonly config: UpstreamsConfig;
  /** Names this process among those that serve the same server. */
  readonly instance: string;
  readonly log: Log;
  /** The other instances of the service; undefined where there can be none. */
  readonly peers?: Peers | undefined;
  /** Where what is learnt of servers outlives this process. */
  readonly documents?: Documents | undefined;
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
  { bus, config, instance, peers, documents, log: parentLog }: ServingParts,
): Promise<ServedServer> {
  let current = configured;
  const { name, connectTimeoutMs } = configured.entry;
  const log = parentLog.child({ server: name });
  const { callTimeoutMs, perPrincipalSessions, perPrincipalIdleMs } = config;
  const surroundings = { ...config, folder: configured.folder };
  const { transport, session: scope } = configured.entry;
  const oauth = transport.kind === 'http' ? transport.oauth : undefined;
  // Its token outlives the connections, and is everybody's: it is the gateway's own.
  const authorization =
    transport.kind === 'http' && oauth !== undefined
      ? new ClientCredentials({
          server: name,
          url: transport.url,
          oauth,
          allowPrivate: transport.allowPrivate,
          resolve: (text) => resolveReferences(text, surroundings),
        })
      : undefined;
  const configuration = connectionRevision(configured);
  const eraMemory = documents && storedEra(documents, { server: name, configuration }, log);
  let secrets: readonly string[] = [];
  const target = async () => {
    const found = await connectTarget(current.entry, surroundings, authorization);
    secrets = secretsOf(found, config.environment);
    return found;
  };
  const sessions = new ServerSessions({
    server: name,
    scope,
    limit: perPrincipalSessions,
    idleMs: perPrincipalIdleMs,
    open: () =>
      new HeldSession(target, {
        name,
        clientInfo: { name: 'portico', version: VERSION },
        connectTimeoutMs,
        answerLimitBytes: config.answerLimitBytes,
        log: parentLog,
        ...(eraMemory && { eraMemory }),
      }),
    onClosed: (key) => peers?.released(key),
  });
  const own = upstreamService(() => current.entry, sessions, {
    version: VERSION,
    callTimeoutMs,
    configuration,
    policyOf: (tool) => announcedPolicy(current, tool),
  });
  const ownStatus = statusOf(sessions.common, log, (text) => withoutSecrets(text, secrets));
  const opened: { close(): Promise<void> }[] = [];
  try {
    let service = own;
    let status = ownStatus;
    // One process is enough for what has no state of its own: then any instance serves it.
    if (peers !== undefined && (transport.kind === 'stdio' || scope !== 'shared')) {
      const letGo = (key: string) => (key === name ? sessions.common.disconnect() : sessions.end(key));
      const routing: Routing = { bus, peers, instance, commonKey: name, keyOf: (of) => sessions.keyOf(of), letGo };
      service = routedService(own, routing);
      const route = router(routing, own.address);
      status = async (request, incoming) =>
        route(
          name,
          passedOn(incoming),
          () => ownStatus(request, incoming),
          (_, at, options) => bus.ask(serverStatus(at.slice('upstream.'.length)), request, options),
        );
      opened.push(await serveToPeers(own, routing));
      opened.push(
        await bus.serve(serverStatus(`${name}.${instance}`), (request, incoming) =>
          peers.run(
            name,
            incoming.stop,
            () => letGo(name),
            () => ownStatus(request, incoming),
            notHere,
          ),
        ),
      );
    }
    opened.push(await bus.serve(serverStatus(name), status));
    const source = await serveSource(bus, service, { instance, log });
    opened.push(source);
    sessions.common.onChanged(() => source.changed());
    sessions.common.onResourceUpdated((uri) => source.resourceUpdated(uri));
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
        (closing ??= closeInTurn([{ close: () => closeTogether(opened) }, sessions]).finally(() =>
          peers?.released(name),
        )),
    };
  } catch (error) {
    await closeTogether(opened).catch(() => undefined);
    throw error;
  }
}

/** Answers how a session is, after trying it when that is asked for. `shown`: a text as it may be shown. */
const statusOf =
  (session: HeldSession, log: Log, shown: (text: string) => string): Handler<ReturnType<typeof serverStatus>> =>
  async ({ attempt }, { signal }) => {
    let tools: readonly { readonly name: string }[] | undefined = session.known?.tools;
    try {
      if (attempt === 'reconnect') await session.reconnect({ signal });
      // What is remembered of a server says nothing of whether it is there.
      const refresh = attempt === 'reconnect' || session.state !== 'connected';
      if (attempt !== 'none') ({ tools } = await session.catalogue({ refresh, signal }));
    } catch (error) {
      // It shows in the state; whoever looks need not be told twice.
      log.debug('upstream.not-reached', { error });
    }
    const { state, facts, failure, since, stderr } = session;
    return {
      state: state === 'closed' ? 'idle' : state,
      era: facts?.era ?? null,
      protocolVersion: facts?.protocolVersion ?? null,
      tools: tools?.map((tool) => tool.name) ?? null,
      error: failure === undefined ? null : shown(sentenceOf(failure)),
      since: since.toISOString(),
      stderr: stderr.map(shown),
    };
  };

const sentenceOf = ({ message, reason }: Failure): string =>
  reason === undefined ? message : `${message.replace(/\.$/, '')}: ${reason}.`;
