import { SHARE_ENV, Worker } from 'node:worker_threads';
import { DIMENSIONS } from './embedder.js';

type Message = 'ready' | { readonly states: Float32Array } | { readonly error: string };
interface Asked {
  resolve(message: Message): void;
  reject(error: unknown): void;
}

const WORKER = new URL('../worker/model-worker.js', import.meta.url);
/** For the thread to give back what the model holds; then it is ended. */
const RELEASE_MS = 5_000;

/** The model, loaded in a thread: token ids in, one vector a token out. One run at a time. */
export class Session {
  private readonly worker: Worker;
  private readonly ended: Promise<void>;
  private asked: Asked | undefined;
  private dead: Error | undefined;

  private constructor(model: Uint8Array, threads: number) {
    // A thread's own environment would not reach the runtime, whose library reads that of the process.
    this.worker = new Worker(WORKER, { workerData: { model, threads }, env: SHARE_ENV, stdout: true, stderr: true });
    // What the runtime's own library has to say is for no log of ours.
    this.worker.stdout.resume();
    this.worker.stderr.resume();
    this.worker.on('message', (message: Message) => this.asked?.resolve(message));
    this.worker.once('error', (error) => this.died(error));
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', () => {
        this.died();
        resolve();
      });
    });
  }

  static async open(model: Uint8Array, threads: number): Promise<Session> {
    const session = new Session(model, threads);
    await session.answer();
    return session;
  }

  /** Runs texts of `width` ids at most, padded to it, and gives `width` vectors a text. */
  async run(texts: readonly (readonly number[])[], width: number): Promise<Float32Array> {
    if (this.dead) throw this.dead;
    this.worker.postMessage({ texts, width });
    const message = await this.answer();
    if (message === 'ready' || 'error' in message) {
      throw new Error('The embedding model failed.', { cause: message === 'ready' ? undefined : message.error });
    }
    if (message.states.length === texts.length * width * DIMENSIONS) return message.states;
    throw new Error(`The embedding model does not give ${DIMENSIONS} numbers a token: it is not one of this kind.`);
  }

  async release(): Promise<void> {
    const late = setTimeout(() => void this.worker.terminate(), RELEASE_MS);
    this.worker.postMessage('end');
    await this.ended;
    clearTimeout(late);
  }

  private answer(): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.asked = { resolve, reject };
    });
  }

  private died(cause?: unknown): void {
    this.dead ??= new Error('The embedding model could not be run, or has stopped.', { cause });
    this.asked?.reject(this.dead);
  }
}
