import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@portico/contracts';
import type { FaultCode } from '@portico/contracts';
import type { Connection, SessionParts } from './connection.js';
import { Reason, UNSUPPORTED_VERSION } from './faults.js';
import { HttpEndpoint } from './http-endpoint.js';
import type { ExchangeOutcome } from './http-exchange.js';
import { PINNED_FACTS, initializeParams, legacyFacts, modernFacts } from './initialize.js';
import { isObject } from './json-rpc.js';
import { LegacyHttpConnection } from './legacy-http.js';
import { ModernHttpConnection, modernExchange, modernFault } from './modern-http.js';
import { modernMeta } from './request-meta.js';
import { MODERN } from './revisions.js';
import { ServerProcess } from './server-process.js';
import type { StderrRing } from './stderr-ring.js';
import { StdioConnection, sortNotification } from './stdio-connection.js';
import type { HttpTarget, ServerTarget, StdioTarget } from './target.js';

/** How long a silent process is given to answer `server/discover` before it is asked to `initialize` too, in milliseconds. */
const DISCOVER_ALONE_MS = 3_000;
/** How long a server counts as legacy without being asked anew, in milliseconds: it may have been upgraded. */
const LEGACY_VERDICT_MS = 600_000;

/** How an upgraded server may answer `initialize`. */
const REFUSALS: ReadonlySet<FaultCode> = new Set(['UNSUPPORTED', 'INVALID_ARGUMENTS', 'UNKNOWN_ERROR']);

/** What is remembered of a server between two connections. */
export interface SessionMemory {
  /** When it was last found to be of the legacy era, in milliseconds of the epoch. */
  legacySince: number | undefined;
  stderr: StderrRing;
}

/**
 * Makes one connection, in the newest era that both sides speak: `server/discover`, then `initialize`. Rejects with a
 * Fault, or when the signal aborts, and then leaves nothing open.
 */
export async function openConnection(
  target: ServerTarget,
  parts: SessionParts,
  memory: SessionMemory,
  signal: AbortSignal,
): Promise<Connection> {
  const legacySince = knownLegacy(memory) ? memory.legacySince : undefined;
  memory.legacySince = undefined;
  const open = (discover: boolean): Promise<Connection> =>
    target.transport === 'http'
      ? openHttp(target, parts, signal, discover)
      : openStdio(target, parts, memory.stderr, signal, discover);
  if (legacySince !== undefined) {
    try {
      const connection = await open(false);
      // The verdict is as old as its discovery, however often the connection has been made again since.
      if (connection.facts.era === 'legacy') memory.legacySince = legacySince;
      return connection;
    } catch (error) {
      // It may have been upgraded meanwhile; one that is out of reach was not.
      if (signal.aborted || !REFUSALS.has(Fault.from(error).code)) throw error;
    }
  }
  const connection = await open(true);
  if (connection.facts.era === 'legacy') memory.legacySince = Date.now();
  return connection;
}

function knownLegacy({ legacySince }: SessionMemory): boolean {
  if (legacySince === undefined) return false;
  // Of a clock that was set back nothing follows: it is asked anew.
  const age = Date.now() - legacySince;
  return age >= 0 && age < LEGACY_VERDICT_MS;
}

async function openHttp(
  target: HttpTarget,
  parts: SessionParts,
  signal: AbortSignal,
  discover: boolean,
): Promise<Connection> {
  const endpoint = new HttpEndpoint(target, parts);
  try {
    if (target.protocol === '2026-07-28') return new ModernHttpConnection(endpoint, parts, PINNED_FACTS);
    if (discover) {
      const facts = await discoverOverHttp(endpoint, parts, signal);
      if (facts !== undefined) return new ModernHttpConnection(endpoint, parts, facts);
    }
    return await LegacyHttpConnection.open(endpoint, parts, signal);
  } catch (error) {
    await endpoint.close();
    throw error;
  }
}

/** Undefined: whoever answers does not know 2026-07-28, and may know an older revision. */
async function discoverOverHttp(endpoint: HttpEndpoint, parts: SessionParts, signal: AbortSignal) {
  const discover = () =>
    modernExchange(endpoint, parts, { method: 'server/discover', params: {}, signal }).catch((fault: Fault) => {
      // An answer that is no JSON-RPC says nothing of the era: `initialize` is told more plainly.
      if (fault.code !== 'UNKNOWN_ERROR') throw fault;
      return undefined;
    });
  let outcome = await discover();
  if (outcome !== undefined && namesOurRevision(outcome)) outcome = await discover();
  if (outcome === undefined) return undefined;
  const { status, answer } = outcome;
  if (answer !== undefined && 'result' in answer && status < 300) return modernFacts(answer.result);
  const olderMayKnow =
    (status < 500 && ![401, 403, 429].includes(status) && !(status >= 300 && status < 400)) || status === 501;
  if (olderMayKnow || (status === 500 && answer !== undefined)) return undefined;
  throw modernFault(outcome, parts);
}

/** A refusal that names the very revision it refused, as a server may while it is replaced: worth asking once more. */
function namesOurRevision({ answer }: ExchangeOutcome): boolean {
  if (answer === undefined || !('error' in answer) || answer.error.code !== UNSUPPORTED_VERSION) return false;
  const { data } = answer.error;
  return isObject(data) && Array.isArray(data.supported) && data.supported.includes(MODERN);
}

/**
 * One process, asked in place: `server/discover` first, `initialize` when it is refused, or when nothing has come back
 * for a while (then whichever is answered first decides). The servers of the older era answer an unknown method with an
 * error and go on; one that dies of it is started once more and asked to `initialize` alone. So a server is started once,
 * not twice as the SDK's probe does, and a modern one is never taken for legacy because it also speaks the older revision.
 */
async function openStdio(
  target: StdioTarget,
  parts: SessionParts,
  stderr: StderrRing,
  signal: AbortSignal,
  discover: boolean,
): Promise<Connection> {
  if (discover) {
    const found = await tryProcess(target, parts, stderr, signal, true);
    if (!('died' in found)) return found;
  }
  const found = await tryProcess(target, parts, stderr, signal, false);
  if ('died' in found)
    throw parts.faults.unavailable('no', new Reason(`the process ended${found.died} before it answered`));
  return found;
}

async function tryProcess(
  target: StdioTarget,
  parts: SessionParts,
  stderr: StderrRing,
  signal: AbortSignal,
  discover: boolean,
): Promise<StdioConnection | { readonly died: string }> {
  const server = new ServerProcess(target, parts, stderr, (message) => sortNotification(server, message, parts));
  const settled = new AbortController();
  const within = AbortSignal.any([signal, settled.signal]);
  try {
    const facts = await negotiate(server, parts, within, discover);
    if (facts.era === 'legacy') server.notify('notifications/initialized');
    return new StdioConnection(server, parts, facts);
  } catch (error) {
    const died = server.ended && server.started && !signal.aborted;
    await server.close();
    if (died) return { died: server.exit };
    throw error;
  } finally {
    settled.abort();
  }
}

/** Asks for the newest era first; resolves with the first that is granted, rejects when none is. */
async function negotiate(server: ServerProcess, parts: SessionParts, signal: AbortSignal, discover: boolean) {
  const ask = async (method: string, params: object) => {
    const id = parts.nextId();
    const { answer } = await server.request(id, JSON.stringify({ jsonrpc: '2.0', id, method, params }), { signal });
    return answer;
  };
  const initialize = async () => {
    const answer = await ask('initialize', initializeParams(parts));
    if ('error' in answer)
      throw parts.faults.noCommonRevision(new Error(`initialize was answered with ${answer.error.code}`));
    return legacyFacts(answer.result, parts);
  };
  if (!discover) return initialize();

  const refused = Symbol();
  const discovered = ask('server/discover', {
    _meta: modernMeta({ method: '', params: {}, signal }, parts, undefined),
  }).then((answer) => ('result' in answer && modernFacts(answer.result)) || refused);
  discovered.catch(() => undefined);
  const patience = delay(DISCOVER_ALONE_MS, undefined, { signal }).catch(() => undefined);
  const first = await Promise.race([discovered, patience]);
  if (first === refused) return initialize();
  if (typeof first === 'object') return first;
  const granted = discovered.then((facts) =>
    typeof facts === 'object' ? facts : Promise.reject(parts.faults.noCommonRevision()),
  );
  return Promise.any([granted, initialize()]).catch((errors: AggregateError) => Promise.reject(errors.errors[1]));
}
