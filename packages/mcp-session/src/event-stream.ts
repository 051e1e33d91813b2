import { StringDecoder } from 'node:string_decoder';

/** Reads a `text/event-stream` as it arrives, in time linear to its length. Of one event at most `limit` characters are held. */
export class EventStreamReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #lineEnd = /\r\n?|\n/g;
  /** The pieces of a line that has not ended yet, and the data lines of an event that has not. */
  #line: string[] = [];
  #lineLength = 0;
  #data: string[] = [];
  #dataLength = 0;
  #endedOnCr = false;
  /** Last event id and reconnection delay that the server gave: what resuming takes. */
  lastEventId: string | undefined;
  retryMs: number | undefined;

  constructor(
    private readonly limit: number,
    private readonly onData: (data: string) => void,
  ) {}

  /** Throws `EventTooLarge` when an event outgrows the limit. */
  push(chunk: Buffer): void {
    let text = this.#decoder.write(chunk);
    if (text === '') return;
    // A CRLF that a chunk boundary split is one line end, not two.
    if (this.#endedOnCr && text.startsWith('\n')) text = text.slice(1);
    this.#endedOnCr = text.endsWith('\r');
    let start = 0;
    this.#lineEnd.lastIndex = 0;
    for (let end = this.#lineEnd.exec(text); end !== null; end = this.#lineEnd.exec(text)) {
      this.#hold(text.slice(start, end.index));
      start = this.#lineEnd.lastIndex;
      const line = this.#line.length === 1 ? this.#line[0]! : this.#line.join('');
      this.#line = [];
      this.#lineLength = 0;
      this.#read(line);
    }
    if (start < text.length) this.#hold(text.slice(start));
  }

  #hold(piece: string): void {
    this.#lineLength += piece.length;
    if (this.#dataLength + this.#lineLength > this.limit) throw new EventTooLarge();
    this.#line.push(piece);
  }

  #read(line: string): void {
    if (line === '') {
      const data = this.#data;
      this.#data = [];
      this.#dataLength = 0;
      if (data.length > 0) this.onData(data.length === 1 ? data[0]! : data.join('\n'));
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') {
      this.#dataLength += value.length + 1;
      this.#data.push(value);
    } else if (field === 'id' && !value.includes('\0')) this.lastEventId = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }
}

export class EventTooLarge extends Error {}
