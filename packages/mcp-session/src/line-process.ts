import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Fault } from '@portico/contracts';
import type { SessionParts } from './connection.js';
import { Reason } from './faults.js';
import { LineReader } from './line-reader.js';
import { endProcessGroup } from './process-group.js';
import type { StdioTarget } from './target.js';
import { watchdog } from './watchdog.js';

/** Most bytes that may wait for a process that does not read: beyond it nothing more is written. */
const BACKLOG_LIMIT = 8_388_608;
/** An overlong line is skipped up to this many times the limit; then the process is given up. */
const SKIP_FACTOR = 8;
/** How long the last output of an ended process may take to be read, in milliseconds. */
const DRAIN_MS = 250;

/** By whom a process is heard. */
export interface Listener {
  onLine(line: string): void;
  /** Of a line beyond the limit only the ends are heard. */
  onOverlong(ends: string): void;
  onStderr(chunk: Buffer): void;
  /** No line comes any more, and none is taken. May be told more than once. */
  onOver(fault: Fault): void;
}

/** A program in a process group of its own, spoken to in lines. The group ends with it, and with whoever started it. */
export class LineProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  #ended = false;
  #exit = '';
  #ending: Promise<void> | undefined;

  /** Throws a Fault, `executed: no`, when the program can not be started at all; of others that is told by `onOver`. */
  constructor(
    target: StdioTarget,
    parts: SessionParts,
    private readonly listener: Listener,
  ) {
    const child = start(target, parts);
    this.#child = child;
    if (child.pid !== undefined) watchdog.watch(child.pid);
    const { answerLimitBytes, faults, log, name } = parts;
    const lines = new LineReader(
      answerLimitBytes,
      (line) => listener.onLine(line),
      (ends) => listener.onOverlong(ends),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      lines.push(chunk);
      if (lines.unfinished > answerLimitBytes * SKIP_FACTOR) this.giveUp(faults.tooLarge(answerLimitBytes));
    });
    child.stderr.on('data', (chunk: Buffer) => listener.onStderr(chunk));
    const lost = () => faults.unavailable('unknown', new Reason(`the process ended${this.#exit}`));
    // `close` comes after the last line was read, so an answer given while dying still counts.
    let read = false;
    let draining: NodeJS.Timeout | undefined;
    child.on('close', () => {
      read = true;
      clearTimeout(draining);
      this.giveUp(lost());
    });
    child.on('exit', (code, signal) => {
      this.#ended = true;
      this.#exit = code === null ? ` by ${signal}` : ` with exit code ${code}`;
      // What it leaves behind may hold its output open: then `close` never comes.
      void this.end().then(() => {
        if (!read) draining = setTimeout(() => this.giveUp(lost()), DRAIN_MS);
      });
    });
    child.on('error', (error) => this.giveUp(notStarted(error, parts)));
    for (const pipe of [child.stdin, child.stdout, child.stderr]) {
      pipe.on('error', (error) => log.debug('process.pipe-failed', { server: name, error }));
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Completes "the process ended …" once it is known how it did; else empty. */
  get exit(): string {
    return this.#exit;
  }

  /** False when there was nothing to start. */
  get started(): boolean {
    return this.#child.pid !== undefined;
  }

  /** False when the line was not taken: the process has ended, or too much waits for it already. */
  write(line: string): boolean {
    const { stdin } = this.#child;
    if (this.#ended || !stdin.writable || stdin.writableLength > BACKLOG_LIMIT) return false;
    stdin.write(`${line}\n`);
    return true;
  }

  /** It is spoken to no more, and what is left of the group is ended. */
  giveUp(fault: Fault): void {
    this.#ended = true;
    this.listener.onOver(fault);
    this.#child.stdin.destroy();
    void this.end().then(() => {
      this.#child.stdout.destroy();
      this.#child.stderr.destroy();
    });
  }

  /** Ends the whole group; resolves when none of it is left. Idempotent. */
  end(): Promise<void> {
    const { pid } = this.#child;
    return (this.#ending ??=
      pid === undefined ? Promise.resolve() : endProcessGroup(pid).finally(() => watchdog.release(pid)));
  }
}

function start({ command, args, env, cwd }: StdioTarget, parts: SessionParts): ChildProcessWithoutNullStreams {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(command, [...args], {
      env: { ...env },
      ...(cwd !== undefined && { cwd }),
      stdio: 'pipe',
      detached: true,
      shell: false,
    });
  } catch (error) {
    throw notStarted(error, parts);
  }
  // Where no more files can be opened there are no pipes, and an `error` that would end us if nobody heard it.
  if ((child.stdin as unknown) !== undefined) return child;
  child.on('error', () => {});
  throw notStarted({ code: 'EMFILE' }, parts);
}

/** The error's own message names the program with what it was given, secrets among it. */
const notStarted = (error: unknown, { faults }: SessionParts): Fault =>
  faults.unavailable(
    'no',
    new Reason(`the program could not be started (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`),
  );
