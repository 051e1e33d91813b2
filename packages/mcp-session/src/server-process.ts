import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Fault, StopSignal } from '@portico/contracts';
import type { SessionParts } from './connection.js';
import { Reason } from './faults.js';
import { answerTo, isObject, replyTo } from './json-rpc.js';
import type { JsonObject, RpcAnswer } from './json-rpc.js';
import { LineReader } from './line-reader.js';
import { endProcessGroup } from './process-group.js';
import type { StderrRing } from './stderr-ring.js';
import type { StdioTarget } from './target.js';
import { watchdog } from './watchdog.js';

/** Most bytes that may wait for a server that does not read: beyond it nothing more is written. */
const BACKLOG_LIMIT = 8_388_608;
/** An overlong line is skipped up to this many times the limit; then the process is given up. */
const SKIP_FACTOR = 8;
/** How long the last output of an ended process may take to be read, in milliseconds. */
const DRAIN_MS = 250;

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

/** One server process in a process group of its own: JSON-RPC, one message a line. */
export class ServerProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  #ended = false;
  #exit: string | undefined;
  #ending: Promise<void> | undefined;

  /** `onNotification` hears everything that is neither an answer nor a question. */
  constructor(
    target: StdioTarget,
    private readonly parts: SessionParts,
    stderr: StderrRing,
    private readonly onNotification: (message: JsonObject) => void,
  ) {
    this.#child = spawn(target.command, [...target.args], {
      env: { ...target.env },
      ...(target.cwd !== undefined && { cwd: target.cwd }),
      stdio: 'pipe',
      detached: true,
      shell: false,
    });
    if (this.#child.pid !== undefined) watchdog.watch(this.#child.pid);
    const lines = new LineReader(
      parts.answerLimitBytes,
      (line) => this.#onLine(line),
      (ends) => this.#onOverlong(ends),
    );
    this.#child.stdout.on('data', (chunk: Buffer) => {
      lines.push(chunk);
      if (lines.unfinished > parts.answerLimitBytes * SKIP_FACTOR)
        this.#giveUp(parts.faults.tooLarge(parts.answerLimitBytes));
    });
    this.#child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const lost = () => parts.faults.unavailable('unknown', new Reason(`the process ended${this.exit}`));
    // `close` comes after the last line was read, so an answer given while dying still counts.
    let read = false;
    let draining: NodeJS.Timeout | undefined;
    this.#child.on('close', () => {
      read = true;
      clearTimeout(draining);
      this.#giveUp(lost());
    });
    this.#child.on('exit', (code, signal) => {
      this.#ended = true;
      this.#exit = code === null ? ` by ${signal}` : ` with exit code ${code}`;
      // What it leaves behind may hold its output open: then `close` never comes.
      void this.#endGroup().then(() => {
        if (!read) draining = setTimeout(() => this.#giveUp(lost()), DRAIN_MS);
      });
    });
    // Its own message names the program with its arguments and where it stands.
    this.#child.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) =>
      this.#giveUp(parts.faults.unavailable('no', new Reason(`the program could not be started (${code})`))),
    );
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      pipe.on('error', (error) => parts.log.debug('pipe-failed', { server: parts.name, error }));
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Completes "the process ended …" once it is known how it did; else empty. */
  get exit(): string {
    return this.#exit ?? '';
  }

  /** False when there was nothing to start. */
  get started(): boolean {
    return this.#child.pid !== undefined;
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
        this.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
        reject(faults.aborted(signal, 'unknown'));
      };
      this.#waiting.set(id, {
        resolve: (sent) => (settled(), resolve(sent)),
        reject: (fault) => (settled(), reject(fault)),
        limitBytes: options.limitBytes ?? Infinity,
        onMessage: options.onMessage,
      });
      signal.addEventListener('abort', onAbort);
      if (!this.write(line))
        this.#waiting.get(id)!.reject(faults.unavailable('no', new Error('the server reads no more')));
    });
  }

  /** Hands a message of a request's own to it; false when nobody waits for it (any more). */
  forward(id: unknown, message: JsonObject): boolean {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    waiting?.onMessage?.(message);
    return waiting !== undefined;
  }

  /** False when the line was not taken: the process has ended, or too much waits for it already. */
  write(line: string): boolean {
    const { stdin } = this.#child;
    if (this.#ended || !stdin.writable || stdin.writableLength > BACKLOG_LIMIT) return false;
    stdin.write(`${line}\n`);
    return true;
  }

  /** Ends the whole group; resolves when none of it is left. Idempotent. */
  close(): Promise<void> {
    this.#giveUp(this.parts.faults.unavailable('unknown', new Error('the session was closed')));
    return this.#endGroup();
  }

  /** Nobody gets an answer any more; what is left of the group is ended too. */
  #giveUp(fault: Fault): void {
    this.#ended = true;
    for (const waiting of [...this.#waiting.values()]) waiting.reject(fault);
    this.#child.stdin.destroy();
    void this.#endGroup().then(() => {
      this.#child.stdout.destroy();
      this.#child.stderr.destroy();
    });
  }

  #endGroup(): Promise<void> {
    const { pid } = this.#child;
    return (this.#ending ??=
      pid === undefined ? Promise.resolve() : endProcessGroup(pid).finally(() => watchdog.release(pid)));
  }

  #onLine(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // Servers do print to stdout; what is no message is nobody's.
      return this.parts.log.debug('not-a-message', { server: this.parts.name, length: line.length });
    }
    try {
      for (const one of Array.isArray(message) ? message : [message]) this.#onMessage(one, line.length);
    } catch (error) {
      // Whatever a line makes us trip over costs that line, never the process that reads it.
      this.parts.log.warn('message-not-handled', { server: this.parts.name, error });
    }
  }

  #onMessage(message: unknown, bytes: number): void {
    if (!isObject(message)) return;
    if (typeof message.method === 'string') {
      if (message.id === undefined) this.onNotification(message);
      else if (typeof message.id === 'string' || typeof message.id === 'number') this.write(replyTo(message));
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
    const found =
      /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(ends) ??
      /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/.exec(ends);
    const waiting = found === null ? undefined : this.#waiting.get(Number(found[1]));
    const fault = this.parts.faults.tooLarge(this.parts.answerLimitBytes);
    if (waiting !== undefined) waiting.reject(fault);
    else if (/^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"/.test(ends)) return;
    else if (this.#waiting.size === 1) for (const only of [...this.#waiting.values()]) only.reject(fault);
    else
      this.#giveUp(this.parts.faults.unavailable('unknown', new Error('an answer too large, of an unknown request')));
  }
}
