import { StringDecoder } from 'node:string_decoder';

const LINES = 50;
const LINE_LIMIT = 4_096;

/** The last 50 lines a process wrote to stderr, each cut to 4,096 characters. */
export class StderrRing {
  #decoder = new StringDecoder('utf8');
  #lines: string[] = [];
  #open = '';

  push(chunk: Buffer): void {
    const end = this.#endOf(chunk);
    const parts = this.#decoder.write(end).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      this.#lines.push((this.#open + part).slice(0, LINE_LIMIT).trimEnd());
      this.#open = '';
    }
    if (this.#lines.length > LINES) this.#lines = this.#lines.slice(-LINES);
    if (this.#open.length < LINE_LIMIT) this.#open = (this.#open + last).slice(0, LINE_LIMIT);
  }

  /** Of a flood only the end is read: what the rest of it would push out at once nobody ever sees. */
  #endOf(chunk: Buffer): Buffer {
    let from = chunk.length;
    for (let left = LINES + 1; left > 0 && from > 0; left--) from = chunk.lastIndexOf(10, from - 1);
    if (from <= 0) return chunk;
    this.#decoder = new StringDecoder('utf8');
    this.#open = '';
    return chunk.subarray(from + 1);
  }

  get lines(): readonly string[] {
    return this.#open === '' ? this.#lines : [...this.#lines, this.#open].slice(-LINES);
  }
}
