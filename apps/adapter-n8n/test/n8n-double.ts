import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { N8nRecords } from './n8n-records.js';
import type { Answer, DoubleNode, DoubleWorkflow } from './n8n-records.js';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
/** Answers one request in the place of n8n. */
export type Fault = (response: ServerResponse) => void;

/** What n8n without NODE_ENV=production puts beside its message. */
export const LEAKS = {
  stacktrace: 'NodeApiError: boom\n    at Object.execute (/usr/local/lib/node_modules/n8n/dist/webhooks.js:42:7)',
  hint: 'HINT-OF-N8N: click the Execute workflow button',
};

/** An n8n 2.8.4 with its public API and its production webhooks, by what the real one answers. */
export class N8nDouble {
  readonly requests: SeenRequest[] = [];
  readonly keys = new Set<string>();
  /** What becomes of the next requests, in turn. */
  readonly faults: (Fault | undefined)[] = [];
  readonly records = new N8nRecords();
  /** What a person does in the editor just before the n-th request from now is looked at; 1 is the next one. */
  readonly meanwhile = new Map<number, () => void>();
  private watching: (() => void) | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<N8nDouble> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const double = new N8nDouble(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void double.handle(request, response));
    return double;
  }

  /** By a person, in the editor. */
  workflow(name: string, nodes: DoubleNode[], rest: { tags?: string[]; active?: boolean } = {}): DoubleWorkflow {
    return this.records.made(name, nodes, rest);
  }

  /** Resolves when one more request has arrived. */
  arrived(): Promise<void> {
    return new Promise((resolve) => (this.watching = resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
    this.requests.push(seen);
    this.watching?.();
    this.step();
    const fault = this.faults.shift();
    if (fault) return fault(response);
    const { status, body, type = 'application/json; charset=utf-8' } = this.answer(seen);
    const sent = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': type }).end(method === 'HEAD' ? '' : sent);
  }

  private step(): void {
    const due = [...this.meanwhile].map(([at, act]) => [at - 1, act] as const);
    this.meanwhile.clear();
    for (const [at, act] of due)
      if (at === 0) act();
      else this.meanwhile.set(at, act);
  }

  private answer({ method, url, headers, body }: SeenRequest): Answer {
    const { pathname, searchParams } = new URL(url, this.url);
    if (pathname.startsWith('/webhook/'))
      return this.records.webhook(method, pathname.slice('/webhook/'.length), searchParams, headers, body);
    if (!pathname.startsWith('/api/v1/')) return message(404, 'not found');
    const key = headers['x-n8n-api-key'];
    if (key === undefined) return message(401, "'X-N8N-API-KEY' header required");
    if (!this.keys.has(String(key))) return message(401, 'unauthorized');
    return this.records.api(method, pathname.slice('/api/v1'.length), searchParams, body);
  }
}

export const message = (status: number, text: string): Answer => ({ status, body: { message: text, ...LEAKS } });

export const failing =
  (status: number, body: object = { message: 'boom', ...LEAKS }, retryAfter?: number): Fault =>
  (response) =>
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      })
      .end(JSON.stringify(body));
