import {
  CONTRACTS_VERSION,
  Fault,
  callTool,
  complete,
  describeSource,
  getPrompt,
  readResource,
  rollCall,
  sourceBye,
  sourceChanged,
  sourceHealth,
  sourceHello,
} from '@portico/contracts';
import type {
  CataloguePage,
  ReplyOf,
  SourceAddress,
  SourceCatalogue,
  ToolCallRequest,
  ToolResult,
} from '@portico/contracts';
import type { Bus, Incoming, Subscription } from '@portico/bus';
import { inSpan } from '@portico/observe';
import type { z } from 'zod';
import { pageAt, pageLimit, parseCursor, snapshotOf } from './catalogue-pages.js';
import type { Snapshot } from './catalogue-pages.js';
import { keepAlive } from './heartbeat.js';
import { ResourceUpdates } from './resource-updates.js';
import type { SourceLog } from './source-log.js';
import { TracedIncoming } from './traced-incoming.js';

type ReadCall = ReturnType<typeof readResource>;
type PromptCall = ReturnType<typeof getPrompt>;
type CompleteCall = ReturnType<typeof complete>;

export type ReadResourceRequest = z.output<ReadCall['request']>;
export type ReadResourceResult = ReplyOf<ReadCall>;
export type GetPromptRequest = z.output<PromptCall['request']>;
export type GetPromptResult = ReplyOf<PromptCall>;
export type CompleteRequest = z.output<CompleteCall['request']>;
export type CompleteResult = ReplyOf<CompleteCall>;
export type SourceHealthReport = ReplyOf<ReturnType<typeof sourceHealth>>;

/** What stands behind a source: an own domain, or a session to somebody's MCP server. */
export interface SourceService {
  readonly address: SourceAddress;
  readonly version: string;
  /** Changes when the source's configuration does. Read anew at every hello. */
  readonly configuration: string;
  /** Milliseconds its first answer may take. */
  readonly connectTimeoutMs: number;
  /** All it publishes. `refresh`: ask whoever knows anew, instead of answering from memory. */
  catalogue(options: { refresh: boolean; signal: AbortSignal }): Promise<Omit<SourceCatalogue, 'revision'>>;
  callTool(request: ToolCallRequest, incoming: Incoming): Promise<ToolResult>;
  readResource?(request: ReadResourceRequest, incoming: Incoming): Promise<ReadResourceResult>;
  getPrompt?(request: GetPromptRequest, incoming: Incoming): Promise<GetPromptResult>;
  complete?(request: CompleteRequest, incoming: Incoming): Promise<CompleteResult>;
  /** Absent: `up` as long as it answers. */
  health?(incoming: Incoming): Promise<SourceHealthReport>;
}

export interface ServeSourceOptions {
  /** Names this process among those that serve the same source. */
  readonly instance: string;
  readonly log?: SourceLog;
}

export interface ServedSource {
  /** Announces that the lists have changed. */
  changed(): void;
  /** Announces that one resource has changed. */
  resourceUpdated(uri: string): void;
  /** Says bye, then lets what runs finish. Idempotent. */
  close(): Promise<void>;
}

/** Snapshots kept for askers in the middle of their pages; an asker of an older one starts again. */
const KEPT_SNAPSHOTS = 4;

/**
 * Puts a source on the bus: it answers the six source calls, says hello now and at every roll call, that it lives each
 * second, and bye at the end.
 * Rejects, with nothing left open, when the bus takes no subscription.
 */
export async function serveSource(
  bus: Bus,
  service: SourceService,
  options: ServeSourceOptions,
): Promise<ServedSource> {
  const { address } = service;
  const opened: Subscription[] = [];
  const closeAll = () => Promise.all(opened.map((subscription) => subscription.close()));
  const hello = () =>
    bus.tell(sourceHello, {
      source: address,
      instance: options.instance,
      version: service.version,
      contracts: CONTRACTS_VERSION,
      configuration: service.configuration,
      connectTimeoutMs: service.connectTimeoutMs,
    });
  const describe = describer(bus, service, options.log);

  try {
    opened.push(await bus.serve(describeSource(address), describe));
    opened.push(
      await bus.serve(callTool(address), (request, incoming) =>
        served('tools/call', request.tool, incoming, (seen) => service.callTool(request, seen)),
      ),
    );
    opened.push(
      await bus.serve(readResource(address), async (request, incoming) =>
        served('resources/read', '', incoming, async (seen) =>
          service.readResource ? service.readResource(request, seen) : unsupported('resources'),
        ),
      ),
    );
    opened.push(
      await bus.serve(getPrompt(address), async (request, incoming) =>
        served('prompts/get', request.name, incoming, async (seen) =>
          service.getPrompt ? service.getPrompt(request, seen) : unsupported('prompts'),
        ),
      ),
    );
    opened.push(
      await bus.serve(complete(address), async (request, incoming) =>
        service.complete ? service.complete(request, incoming) : unsupported('completion'),
      ),
    );
    opened.push(
      await bus.serve(sourceHealth(address), async (_request, incoming) =>
        service.health ? service.health(incoming) : { state: 'up' as const },
      ),
    );
    opened.push(await bus.listen(rollCall, hello));
  } catch (error) {
    await closeAll();
    throw error;
  }
  hello();
  const endHeartbeat = keepAlive(bus, options.instance, address);

  const updates = new ResourceUpdates(bus, address);
  let closing: Promise<void> | undefined;
  return {
    changed: () => {
      if (!closing) bus.tell(sourceChanged, { source: address });
    },
    resourceUpdated: (uri) => {
      if (!closing) updates.add(uri);
    },
    close: () =>
      (closing ??= (async () => {
        endHeartbeat();
        updates.close();
        // Bye goes first, so that nobody new asks while what runs is being finished.
        bus.tell(sourceBye, { source: address, instance: options.instance });
        await closeAll();
      })()),
  };
}

/** Answers in a span below the asker's, and with what is then below that. */
const served = <Value>(
  method: string,
  target: string,
  incoming: Incoming,
  answer: (incoming: Incoming) => Promise<Value>,
): Promise<Value> =>
  inSpan('server', method, target, incoming.context?.traceparent, (span) =>
    answer(span === undefined ? incoming : new TracedIncoming(incoming, span)),
  );

/** Answers `describe`: page by page from a snapshot, so that a change in the middle never mixes two catalogues. */
function describer(bus: Bus, service: SourceService, log?: SourceLog) {
  const snapshots = new Map<string, Snapshot>();
  const take = async (refresh: boolean, signal: AbortSignal): Promise<Snapshot> => {
    const snapshot = snapshotOf(await service.catalogue({ refresh, signal }), pageLimit(bus.maxPayload), log);
    snapshots.delete(snapshot.revision);
    snapshots.set(snapshot.revision, snapshot);
    for (const oldest of snapshots.keys()) {
      if (snapshots.size <= KEPT_SNAPSHOTS) break;
      snapshots.delete(oldest);
    }
    return snapshot;
  };
  return async (
    request: { cursor?: string | undefined; refresh?: boolean | undefined },
    { signal }: Incoming,
  ): Promise<CataloguePage> => {
    if (request.cursor === undefined) return pageAt(await take(request.refresh ?? false, signal), 0);
    const { revision, start } = parseCursor(request.cursor);
    // Another instance may have given the cursor: what we know now serves as well, when it is the same.
    const snapshot = snapshots.get(revision) ?? (await take(false, signal));
    if (snapshot.revision !== revision) {
      throw new Fault(
        'INVALID_ARGUMENTS',
        'The catalogue has changed since this cursor was given; start again without one.',
      );
    }
    return pageAt(snapshot, start);
  };
}

function unsupported(what: string): never {
  throw new Fault('UNSUPPORTED', `This source offers no ${what}.`);
}
