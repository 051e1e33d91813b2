import type { Embedded } from './embedder.js';
import { readVectors } from './read-vectors.js';
import type { Session } from './session.js';
import type { WordPieces } from './word-pieces.js';

interface Waiting {
  readonly pieces: WordPieces;
  resolve(embedded: Embedded): void;
  reject(error: unknown): void;
}

/** Texts that may wait for the model; more are refused, because who asks has a deadline and the model is not getting faster. */
const MOST_WAITING = 1_024;
/** Tokens of one run, padding included: about 50 ms of one core, which is what a text that comes next may wait for. */
const MOST_TOKENS = 512;

/** Sends the texts that wait at the same moment through the model together, short ones with short ones. */
export class Batches {
  private waiting: Waiting[] = [];
  private running: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly session: Session) {}

  /** Throws unless this many more texts may wait. */
  admit(count: number): void {
    if (this.closed) throw new Error('The embedder is closed.');
    if (this.waiting.length + count > MOST_WAITING) {
      throw new Error(`The embedder has ${this.waiting.length} texts waiting, and takes ${MOST_WAITING} at most.`);
    }
  }

  add(pieces: WordPieces): Promise<Embedded> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ pieces, resolve, reject });
      this.running ??= this.runAll();
    });
  }

  /** What waits is refused; what runs is answered. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    for (const { reject } of this.waiting.splice(0)) reject(new Error('The embedder is closed.'));
    await this.running;
    await this.session.release();
  }

  private async runAll(): Promise<void> {
    await Promise.resolve(); // what is asked for in this turn goes together
    while (this.waiting.length > 0) {
      const batch = takeBatch(this.waiting);
      const width = Math.max(...batch.map(({ pieces }) => pieces.ids.length));
      try {
        const ids = batch.map(({ pieces }) => pieces.ids);
        const states = await this.session.run(ids, width);
        batch.forEach(({ pieces, resolve }, row) => resolve(readVectors(pieces, states, row * width)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.running = undefined;
  }
}

/** Takes the text that waited longest, and those of about its length that fit into one run with it. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  const first = waiting.shift()!;
  const width = first.pieces.ids.length;
  const most = Math.max(1, Math.floor(MOST_TOKENS / width));
  const batch = [first];
  for (let at = 0; at < waiting.length && batch.length < most;) {
    const length = waiting[at]!.pieces.ids.length;
    if (length <= width && length * 4 >= width * 3) batch.push(...waiting.splice(at, 1));
    else at += 1;
  }
  return batch;
}
