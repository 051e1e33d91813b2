import type { Fault, StopSignal } from '@portico/contracts';
import type { SessionParts } from './connection.js';
import { answerTo, isObject, replyTo } from './json-rpc.js';
import type { JsonObject, RpcAnswer } from './json-rpc.js';
import { LineProcess } from './line-process.js';
import type { StderrRing } from './stderr-ring.js';
import type { StdioTarget } from './target.js';

export interface Sent {
  readonly answer: RpcAnswer;
  readonly bytes: number;
}

interface Waiting {
  resolve(sent: Sent): void;
  reject(fault: Fault): void;
  readonly limitBytes: number;
  readonly onMessage: ((message: JsonObject) => void) | undefined;
}

/** How a message begins. */
const MESSAGE = /^\s*[{[]/;

/** A server that is a process of its own: JSON-RPC, one message a line. */
export class ServerProcess {
  readonly #process: LineProcess;
  readonly #waiting = new Map<number, Waiting>();

  /** `onNotification` hears everything that is neither an answer nor a question. Throws a Fault when it can not be started. */
  constructor(
    target: StdioTarget,
    private readonly parts: SessionParts,
    stderr: StderrRing,
    private readonly onNotification: (message: JsonObject) => void,
  ) {
    this.#process = new LineProcess(target, parts, {
      onLine: (line) => this.#onLine(line),
      onOverlong: (ends) => this.#onOverlong(ends),
      onStderr: (chunk) => stderr.push(chunk),
      onOver: (fault) => {
        for (const waiting of [...this.#waiting.values()]) waiting.reject(fault);
      },
    });
  }

  get ended(): boolean {
    return this.#process.ended;
  }

  /** Completes "the process ended …" once it is known how it did; else empty. */
  get exit(): string {
    return this.#process.exit;
  }

  /** False when there was nothing to start. */
  get started(): boolean {
    return this.#process.started;
  }

  /** Writes one request and waits for its answer. Nobody else may use `id`. Rejects with a Fault. */
  request(
    id: number,
    line: string,
    options: { signal: StopSignal; limitBytes?: number | undefined; onMessage?: Waiting['onMessage'] },
  ): Promise<Sent> {
    const { faults } = this.parts;
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(faults.aborted(signal, 'no'));
      const settled = (): void => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(id);
      };
      const onAbort = (): void => {
        settled();
        this.notify('notifications/cancelled', { requestId: id });
        reject(faults.aborted(signal, 'unknown'));
      };
      this.#waiting.set(id, {
        resolve: (sent) => (settled(), resolve(sent)),
        reject: (fault) => (settled(), reject(fault)),
        limitBytes: options.limitBytes ?? Infinity,
        onMessage: options.onMessage,
      });
      signal.addEventListener('abort', onAbort);
      if (!this.#process.write(line))
        this.#waiting.get(id)!.reject(faults.unavailable('no', new Error('the server reads no more')));
    });
  }

  /** Says something that has no answer; nothing when the process has ended, or reads no more. */
  notify(method: string, params?: JsonObject): void {
    this.#process.write(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Hands a message of a request's own to it; false when nobody waits for it (any more). */
  forward(id: unknown, message: JsonObject): boolean {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    waiting?.onMessage?.(message);
    return waiting !== undefined;
  }

  /** Ends the whole group; resolves when none of it is left. Idempotent. */
  close(): Promise<void> {
    this.#process.giveUp(this.parts.faults.unavailable('unknown', new Error('the session was closed')));
    return this.#process.end();
  }

  #onLine(line: string): void {
    const { log, name } = this.parts;
    // Servers do print to stdout; what is no message is nobody's. A flood of it would cost far more to parse than to look at.
    if (!MESSAGE.test(line)) return log.debug('process.line-not-understood', { server: name, length: line.length });
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return log.debug('process.line-not-understood', { server: name, length: line.length });
    }
    try {
      for (const one of Array.isArray(message) ? message : [message]) this.#onMessage(one, line.length);
    } catch (error) {
      // Whatever a line makes us trip over costs that line, never the process that reads it.
      log.warn('process.message-not-handled', { server: name, error });
    }
  }

  #onMessage(message: unknown, bytes: number): void {
    if (!isObject(message)) return;
    if (typeof message.method === 'string') {
      if (message.id === undefined) this.onNotification(message);
      else if (typeof message.id === 'string' || typeof message.id === 'number') this.#process.write(replyTo(message));
      return;
    }
    const waiting = typeof message.id === 'number' ? this.#waiting.get(message.id) : undefined;
    if (waiting === undefined) return;
    const answer = answerTo(message.id as number, message);
    if (answer === undefined) waiting.reject(this.parts.faults.garbage());
    else if (bytes > waiting.limitBytes) waiting.reject(this.parts.faults.tooLarge(waiting.limitBytes));
    else waiting.resolve({ answer, bytes });
  }

  /** An answer too large to be held: its request is told so, and the server lives on for the others. */
  #onOverlong(ends: string): void {
    const { faults, answerLimitBytes } = this.parts;
    const found =
      /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(ends) ??
      /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/.exec(ends);
    const waiting = found === null ? undefined : this.#waiting.get(Number(found[1]));
    const fault = faults.tooLarge(answerLimitBytes);
    if (waiting !== undefined) waiting.reject(fault);
    else if (/^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"/.test(ends)) return;
    else if (this.#waiting.size === 1) for (const only of [...this.#waiting.values()]) only.reject(fault);
    else this.#process.giveUp(faults.unavailable('unknown', new Error('an answer too large, of an unknown request')));
  }
}
