import type { Dispatcher, Pool } from 'undici';
import type { IncomingHttpHeaders } from 'node:http';
import type { StopSignal } from '@portico/contracts';
import { EventStreamReader, EventTooLarge } from './event-stream.js';
import type { Faults } from './faults.js';
import { answerTo, isObject } from './json-rpc.js';
import type { JsonObject, RpcAnswer } from './json-rpc.js';

/** How long a stream may stay open after it gave its answer, before its connection is given up, in milliseconds. */
const LINGER_MS = 1_000;

export interface ExchangeRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly path: string;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  readonly body: string | null;
  /** The JSON-RPC id whose answer ends the exchange; undefined: only the status and messages matter. */
  readonly id: number | undefined;
  readonly signal: StopSignal;
  readonly limitBytes: number;
  /** Messages of the stream that are not the answer, in order, until the answer. */
  readonly onMessage?: ((message: JsonObject) => void) | undefined;
  /** The server has begun to answer, with this status. */
  readonly onStatus?: ((status: number) => void) | undefined;
}

export interface ExchangeOutcome {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined when nothing in it answers the request. */
  readonly answer: RpcAnswer | undefined;
  readonly bytes: number;
  /** The body was an event stream; it ended without the answer when there is none. */
  readonly streamed: boolean;
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

/**
 * One HTTP request and all that its answer says. Resolves whatever the status; rejects with a Fault when the connection
 * fails (`executed: no` when nothing was written), when the signal aborts (the connection is closed at once), when the
 * answer outgrows its limit, and when a 2xx body is not JSON-RPC. Redirects are not followed.
 */
export const exchange = (pool: Pool, request: ExchangeRequest, faults: Faults): Promise<ExchangeOutcome> =>
  new Promise((resolve, reject) => {
    if (request.signal.aborted) return reject(faults.aborted(request.signal, 'no'));
    const { method, path, body } = request;
    const handler = new ExchangeHandler(request, faults, resolve, reject);
    request.signal.addEventListener('abort', handler);
    pool.dispatch({ method, path, body, headers: request.headers as string[] }, handler);
  });

/** One object for the whole exchange, its own abort listener too: this is the hot path. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #stream: EventStreamReader | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #settled = false;
  #linger: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: ExchangeRequest,
    private readonly faults: Faults,
    private readonly resolve: (outcome: ExchangeOutcome) => void,
    private readonly reject: (fault: unknown) => void,
  ) {}

  handleEvent(): void {
    this.#fail(this.faults.aborted(this.request.signal, this.#controller === undefined ? 'no' : 'unknown'));
  }

  // Called just before the request is written: from here on nobody knows whether it arrived.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('given up'));
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    // 1xx answers precede the real one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.request.onStatus?.(status);
    if (headers['content-type']?.startsWith('text/event-stream')) {
      this.#stream = new EventStreamReader(this.request.limitBytes, (data) => this.#onData(data));
    } else if (Number(headers['content-length']) > this.request.limitBytes) {
      this.#fail(this.faults.tooLarge(this.request.limitBytes));
    }
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#settled) return;
    this.#bytes += chunk.length;
    if (this.#stream === undefined) {
      if (this.#bytes > this.request.limitBytes) return this.#fail(this.faults.tooLarge(this.request.limitBytes));
      this.#chunks.push(chunk);
      return;
    }
    try {
      this.#stream.push(chunk);
    } catch (error) {
      this.#fail(
        error instanceof EventTooLarge ? this.faults.tooLarge(this.request.limitBytes) : this.faults.garbage(error),
      );
    }
  }

  onResponseEnd(): void {
    clearTimeout(this.#linger);
    if (this.#settled) return;
    if (this.#stream !== undefined || this.request.id === undefined) return this.#succeed(undefined);
    const text = (this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)).toString();
    let answer: RpcAnswer | undefined;
    try {
      answer = answerTo(this.request.id, JSON.parse(text));
    } catch (error) {
      if (this.#status < 300) return this.#fail(this.faults.garbage(error));
    }
    if (answer === undefined && this.#status < 300) return this.#fail(this.faults.garbage());
    this.#succeed(answer);
  }

  onResponseError(_: unknown, error: Error): void {
    clearTimeout(this.#linger);
    this.#fail(this.faults.unavailable(this.#controller === undefined ? 'no' : 'unknown', error));
  }

  #onData(data: string): void {
    // An event without data only gives an id to resume from.
    if (this.#settled || data === '') return;
    const parsed: unknown = JSON.parse(data);
    // Batches existed in 2025-03-26 alone; they cost nothing to read.
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
      const answer = this.request.id === undefined ? undefined : answerTo(this.request.id, message);
      if (answer !== undefined) {
        this.#succeed(answer);
        // Most servers end the stream now, and its connection can be used again; one that does not loses it.
        this.#linger = setTimeout(() => this.#controller?.abort(new Error('stream left open')), LINGER_MS);
        return;
      }
      if (isObject(message) && typeof message.method === 'string') this.request.onMessage?.(message);
    }
  }

  #succeed(answer: RpcAnswer | undefined): void {
    if (!this.#settle()) return;
    this.resolve({
      status: this.#status,
      headers: this.#headers,
      answer,
      bytes: this.#bytes,
      streamed: this.#stream !== undefined,
      lastEventId: this.#stream?.lastEventId,
      retryMs: this.#stream?.retryMs,
    });
  }

  #fail(fault: unknown): void {
    if (!this.#settle()) return;
    this.reject(fault);
    this.#controller?.abort(new Error('given up'));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#chunks = [];
    this.request.signal.removeEventListener('abort', this);
    return true;
  }
}
