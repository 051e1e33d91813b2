import { setTimeout as delay } from 'node:timers/promises';
import { abortSignalOf } from '@portico/contracts';
import type { EndpointRequest, HttpEndpoint } from './http-endpoint.js';
import type { ExchangeOutcome } from './http-exchange.js';

/** A broken stream is taken up so often in a row without news, after waiting so long, in milliseconds. */
const RESUMES = 5;
const WAIT_MS = 1_000;
const WAIT_LIMIT_MS = 30_000;

/**
 * What comes of a request whose stream broke before its answer, if the server numbers its events: the stream is taken up
 * again where it broke, the request is not repeated. `request` asks for the stream. Rejects with a Fault.
 */
export async function resumedStream(
  endpoint: HttpEndpoint,
  broken: ExchangeOutcome,
  request: EndpointRequest,
): Promise<ExchangeOutcome> {
  const { signal } = request;
  let outcome = broken;
  let { lastEventId, retryMs } = broken;
  for (let left = RESUMES; outcome.answer === undefined && outcome.streamed && lastEventId && left > 0; left--) {
    const wait = Math.min(Math.max(retryMs ?? WAIT_MS, 100), WAIT_LIMIT_MS);
    await delay(wait, undefined, { signal: abortSignalOf(signal) }).catch(() => {
      throw endpoint.parts.faults.aborted(signal, 'unknown');
    });
    const headers = [...request.headers, 'last-event-id', lastEventId];
    const resumed = await endpoint.exchange({ ...request, headers });
    if (resumed.status >= 300) break;
    if (resumed.lastEventId !== undefined && resumed.lastEventId !== lastEventId) left = RESUMES;
    outcome = resumed;
    lastEventId = resumed.lastEventId ?? lastEventId;
    retryMs = resumed.retryMs ?? retryMs;
  }
  return outcome;
}
