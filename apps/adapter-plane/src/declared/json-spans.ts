/** Where a piece of a JSON text is: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
export interface JsonMember {
  readonly name: string;
  /** Of the whole `"name": value`. */
  readonly start: number;
  readonly value: JsonNode;
}
export type JsonNode = Span &
  (
    | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
    | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'scalar' }
  );
export type JsonObject = Extract<JsonNode, { kind: 'object' }>;

const MOST_DEPTH = 32;

/** Where everything in a JSON text is. Throws a SyntaxError for what is no JSON, and for more than 32 levels of it. */
export function jsonSpans(text: string): JsonNode {
  JSON.parse(text);
  return new Scanner(text).node(0);
}

/** Reads a text that is known to be JSON. */
class Scanner {
  private at = 0;
  constructor(private readonly text: string) {}

  node(depth: number): JsonNode {
    if (depth > MOST_DEPTH) throw new SyntaxError('nested too deeply');
    const start = this.skipBlanks();
    switch (this.text[start]) {
      case '{':
        return { kind: 'object', start, members: this.listed('}', () => this.member(depth + 1)), end: this.at };
      case '[':
        return { kind: 'array', start, items: this.listed(']', () => this.node(depth + 1)), end: this.at };
      case '"':
        this.skipString();
        return { kind: 'scalar', start, end: this.at };
      default:
        while (/[^\s,\]}]/.test(this.text[this.at] ?? ',')) this.at += 1;
        return { kind: 'scalar', start, end: this.at };
    }
  }

  private listed<T>(close: string, read: () => T): T[] {
    const found: T[] = [];
    this.at += 1;
    while (this.text[this.skipBlanks()] !== close) {
      found.push(read());
      if (this.text[this.skipBlanks()] === ',') this.at += 1;
    }
    this.at += 1;
    return found;
  }

  private member(depth: number): JsonMember {
    const start = this.skipBlanks();
    this.skipString();
    const name = JSON.parse(this.text.slice(start, this.at)) as string;
    this.at = this.skipBlanks() + 1;
    return { name, start, value: this.node(depth) };
  }

  private skipString(): void {
    this.at += 1;
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1;
    this.at += 1;
  }

  private skipBlanks(): number {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? '"')) this.at += 1;
    return this.at;
  }
}
