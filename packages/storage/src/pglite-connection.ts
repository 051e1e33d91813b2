import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { lockFolder } from './folder-lock.js';
import type { FolderLock } from './folder-lock.js';
import { StorageError } from './storage-error.js';
import type { StorageLog } from './storage-log.js';

const WORKER = new URL('../worker/pglite-worker.js', import.meta.url);
const CLOSE_MS = 10_000;

export interface PgliteConnectionOptions {
  /** Absent: in memory. */
  readonly folder: string | undefined;
  readonly log: StorageLog;
  /** What has the folder until then: the connection before this one, at its end. */
  readonly after: Promise<unknown>;
}

/**
 * What `pg` takes for a socket: on its other side a worker thread runs PGlite. The thread starts when `pg` connects and ends with
 * the connection: peacefully when it was said goodbye to, else at once, as a process that is killed; PostgreSQL recovers.
 */
export class PgliteConnection extends Duplex {
  /** Resolves when thread and lock are gone. */
  readonly gone: Promise<void>;
  private readonly folder: string | undefined;
  private readonly log: StorageLog;
  private readonly after: Promise<unknown>;
  private worker: Worker | undefined;
  private leave: () => void = () => {};

  constructor({ folder, log, after }: PgliteConnectionOptions) {
    super();
    this.folder = folder;
    this.log = log;
    this.after = after;
    this.gone = new Promise((resolve) => (this.leave = resolve));
  }

  /** What `pg` calls on its socket; the address means nothing here. */
  connect(): this {
    this.start().catch((error: unknown) => {
      this.leave();
      this.destroy(error instanceof StorageError ? error : this.died(error));
    });
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const copy = new Uint8Array(chunk);
    this.worker?.postMessage(copy, [copy.buffer]);
    done();
  }

  override _final(done: () => void): void {
    // The goodbye is written: the worker closes its files and exits, unless it can not.
    const late = setTimeout(() => void this.worker?.terminate(), CLOSE_MS);
    void this.gone.then(() => clearTimeout(late));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void this.worker?.terminate();
    done(error);
  }

  private async start(): Promise<void> {
    await this.after;
    let lock: FolderLock | undefined;
    if (this.folder !== undefined) {
      await mkdir(dirname(this.folder), { recursive: true, mode: 0o700 });
      lock = await lockFolder(this.folder, () => this.destroy(this.died(new Error('lock lost'))));
    }
    if (this.destroyed) {
      await lock?.release();
      return this.leave();
    }
    const began = performance.now();
    const worker = new Worker(WORKER, {
      name: 'pglite',
      workerData: { folder: this.folder },
      // Nothing of ours is its business, and what it prints is nobody's.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    this.worker = worker;
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (message: 'ready' | Uint8Array) => {
      if (message !== 'ready') return void this.push(message);
      this.log.info('database.started', { ms: Math.round(performance.now() - began) });
      this.emit('connect');
    });
    worker.once('error', (error) => this.destroy(this.died(error)));
    worker.once('exit', (code) => {
      if (code !== 0 && !this.destroyed) this.destroy(this.died(new Error(`exit ${code}`)));
      this.push(null);
      void Promise.resolve(lock?.release()).finally(this.leave);
    });
  }

  private died(error: unknown): StorageError {
    const { name, message } = error as Error;
    const reason = this.folder === undefined ? message : message.replaceAll(this.folder, '<data>');
    this.log.error('database.ended', { reason: `${name}: ${reason.slice(0, 300)}` });
    return new StorageError('unavailable', 'The embedded database at DATABASE_URL ended.', { executed: 'unknown' });
  }
}
