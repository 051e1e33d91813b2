import type { AskOptions, Bus, Incoming, Subscription } from '@portico/bus';
import {
  Fault,
  Stop,
  atInstance,
  callTool,
  complete,
  describeSource,
  getPrompt,
  readResource,
  sourceHealth,
} from '@portico/contracts';
import type { SourceAddress, SourceCatalogue, StopSignal } from '@portico/contracts';
import { pageAt, pageLimit, parseCursor, snapshotOf } from '@portico/domain-kit';
import type { SourceService } from '@portico/domain-kit';
import type { Peers } from './peers.js';

export interface Routing {
  readonly bus: Bus;
  readonly peers: Peers;
  readonly instance: string;
  /** What a caller's session is held by; throws a Fault for a caller that has none. */
  keyOf(incoming: Pick<Incoming, 'context'>): string;
  /** What the list of tools is read with. */
  readonly commonKey: string;
  /** Ends what is held by a key. */
  letGo(key: string): Promise<void>;
}

/** Runs something here when this instance holds the key, else at the one that does. */
export const router =
  ({ bus, peers, letGo }: Pick<Routing, 'bus' | 'peers' | 'letGo'>, address: SourceAddress) =>
  <Value>(
    key: string,
    { signal: stop, ...asked }: AskOptions & { signal: StopSignal },
    here: () => Promise<Value>,
    there: (bus: Bus, at: SourceAddress, options: AskOptions) => Promise<Value>,
  ): Promise<Value> =>
    peers.run(
      key,
      stop,
      () => letGo(key),
      here,
      (instance, gone) =>
        either(stop, gone, (signal) => there(bus, atInstance(address, instance), { ...asked, signal })),
    );

/** A request as it is passed on: with what is left of its time, its context and its notices. */
export const passedOn = (incoming: Incoming): AskOptions & { signal: StopSignal } => ({
  signal: incoming.stop,
  deadlineMs: Math.max(1, incoming.remainingMs()),
  ...(incoming.context && { context: incoming.context }),
  ...(incoming.wantsNotices && { onNotice: (notice) => incoming.notify(notice) }),
});

/**
 * The same service wherever it is asked: what another instance holds is asked of it, with the same deadline, context and
 * notices. So each instance can serve every server.
 */
export function routedService(service: SourceService, routing: Routing): SourceService {
  const { keyOf, commonKey } = routing;
  const route = router(routing, service.address);
  return {
    ...service,
    catalogue: ({ refresh, signal }) =>
      route(
        commonKey,
        { signal },
        () => service.catalogue({ refresh, signal }),
        (bus, at, options) => everyPage(bus, at, refresh, options),
      ),
    callTool: async (request, incoming) =>
      route(
        keyOf(incoming),
        passedOn(incoming),
        () => service.callTool(request, incoming),
        (bus, at, options) => bus.ask(callTool(at), request, options),
      ),
    readResource: async (request, incoming) =>
      route(
        keyOf(incoming),
        passedOn(incoming),
        () => service.readResource!(request, incoming),
        (bus, at, options) => bus.ask(readResource(at), request, options),
      ),
    getPrompt: async (request, incoming) =>
      route(
        keyOf(incoming),
        passedOn(incoming),
        () => service.getPrompt!(request, incoming),
        (bus, at, options) => bus.ask(getPrompt(at), request, options),
      ),
    complete: async (request, incoming) =>
      route(
        keyOf(incoming),
        passedOn(incoming),
        () => service.complete!(request, incoming),
        (bus, at, options) => bus.ask(complete(at), request, options),
      ),
    health: async (incoming) =>
      route(
        commonKey,
        passedOn(incoming),
        () => service.health!(incoming),
        (bus, at, options) => bus.ask(sourceHealth(at), {}, options),
      ),
  };
}

/** Answers what other instances pass on to this one. What is not held here is refused: nobody passes it on twice. */
export async function serveToPeers(service: SourceService, routing: Routing): Promise<Subscription> {
  const { bus, peers, instance, keyOf, commonKey, letGo } = routing;
  const at = atInstance(service.address, instance);
  const held = <Value>(key: string, incoming: Incoming, here: () => Promise<Value>): Promise<Value> =>
    peers.run(key, incoming.stop, () => letGo(key), here, notHere);
  const opened = await Promise.all([
    bus.serve(describeSource(at), async ({ cursor, refresh = false }, incoming) =>
      held(commonKey, incoming, async () => {
        const { signal } = incoming;
        const snapshot = snapshotOf(await service.catalogue({ refresh, signal }), pageLimit(bus.maxPayload));
        if (cursor === undefined) return pageAt(snapshot, 0);
        const { revision, start } = parseCursor(cursor);
        if (snapshot.revision !== revision)
          throw new Fault('INVALID_ARGUMENTS', 'The catalogue has changed; start again.');
        return pageAt(snapshot, start);
      }),
    ),
    bus.serve(callTool(at), async (request, incoming) =>
      held(keyOf(incoming), incoming, () => service.callTool(request, incoming)),
    ),
    bus.serve(readResource(at), async (request, incoming) =>
      held(keyOf(incoming), incoming, () => service.readResource!(request, incoming)),
    ),
    bus.serve(getPrompt(at), async (request, incoming) =>
      held(keyOf(incoming), incoming, () => service.getPrompt!(request, incoming)),
    ),
    bus.serve(complete(at), async (request, incoming) =>
      held(keyOf(incoming), incoming, () => service.complete!(request, incoming)),
    ),
    bus.serve(sourceHealth(at), async (_request, incoming) =>
      held(commonKey, incoming, () => service.health!(incoming)),
    ),
  ]);
  return { close: async () => void (await Promise.all(opened.map((one) => one.close()))) };
}

export const notHere = (): Promise<never> =>
  Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'Another instance holds this.', { executed: 'no' }));

async function everyPage(
  bus: Bus,
  at: SourceAddress,
  refresh: boolean,
  options: AskOptions,
): Promise<Omit<SourceCatalogue, 'revision'>> {
  const { nextCursor, revision: _, ...first } = await bus.ask(describeSource(at), { refresh }, options);
  let cursor = nextCursor;
  while (cursor !== undefined) {
    const page = await bus.ask(describeSource(at), { cursor }, options);
    first.tools.push(...page.tools);
    first.resources.push(...page.resources);
    first.resourceTemplates.push(...page.resourceTemplates);
    first.prompts.push(...page.prompts);
    cursor = page.nextCursor;
  }
  return first;
}

/** Waits on two signals at once, for as long as `act` runs. */
async function either<Value>(
  stop: StopSignal,
  gone: StopSignal,
  act: (signal: StopSignal) => Promise<Value>,
): Promise<Value> {
  const both = new Stop();
  const onStop = (): void => both.abort(stop.reason);
  const onGone = (): void => both.abort(gone.reason);
  stop.addEventListener('abort', onStop);
  gone.addEventListener('abort', onGone);
  try {
    return await act(both);
  } catch (error) {
    // The bus tells of any abort as CANCELLED; here it was the other end that went.
    throw gone.aborted && !stop.aborted ? gone.reason : error;
  } finally {
    stop.removeEventListener('abort', onStop);
    gone.removeEventListener('abort', onGone);
  }
}
