/** How much of each end of an overlong line is kept, in bytes: enough to find a JSON-RPC id in. */
const KEPT_ENDS = 512;

/**
 * Cuts a byte stream into lines, in time linear to its length. Of a line longer than `limit` bytes only the ends are
 * kept, and given to `onOverlong` once it ends.
 */
export class LineReader {
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(
    private readonly limit: number,
    private readonly onLine: (line: string) => void,
    private readonly onOverlong: (ends: string, length: number) => void,
  ) {}

  /** Bytes of the line that has not ended yet. */
  get unfinished(): number {
    return this.#length;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#give();
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  #hold(piece: Buffer): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#length <= this.limit) return;
    const all = Buffer.concat(this.#pieces);
    // Copies, so that the ends do not keep the whole alive.
    const head = Buffer.from(all.subarray(0, KEPT_ENDS));
    const tail = Buffer.from(all.subarray(Math.max(KEPT_ENDS, all.length - KEPT_ENDS)));
    this.#pieces = [head, tail];
  }

  #give(): void {
    const line = (this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)).toString();
    const length = this.#length;
    this.#pieces = [];
    this.#length = 0;
    if (length > this.limit) this.onOverlong(line, length);
    else if (line.trim() !== '') this.onLine(line);
  }
}
