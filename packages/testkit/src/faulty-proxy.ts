import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request in the place of the server behind; `real` asks that server. */
export type ProxyFault = (response: ServerResponse, real: () => Promise<Response>) => void | Promise<void>;

export interface FaultyProxyOptions {
  /** Where requests are forwarded to. */
  readonly target: string;
  /** Headers with which they are. */
  forwarded(request: SeenRequest): Record<string, string>;
  /** Headers of the answer that are passed on, besides its type; none unless given. */
  readonly kept?: RegExp;
  /** What the server behind does not refuse, though the one that it stands for would. */
  refuses?(request: SeenRequest): ProxyFault | undefined;
}

/** A server before another one, by which things go wrong: it sees each request, and what becomes of it is the test's to say. */
export class FaultyProxy {
  readonly requests: SeenRequest[] = [];
  /** What becomes of the next requests, in turn; all others are forwarded. */
  readonly faults: ProxyFault[] = [];
  private watching: (() => void) | undefined;

  private constructor(
    private readonly server: Server,
    private readonly options: FaultyProxyOptions,
    readonly url: string,
  ) {}

  static async start(options: FaultyProxyOptions): Promise<FaultyProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = new FaultyProxy(server, options, url);
    server.on('request', (request, response) => void proxy.receive(request, response));
    return proxy;
  }

  /** Resolves when one more request has arrived. */
  arrived(): Promise<void> {
    return new Promise((resolve) => (this.watching = resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
    this.requests.push(request);
    this.watching?.();
    const real = () =>
      fetch(this.options.target + url, {
        method,
        headers: this.options.forwarded(request),
        ...(request.body !== '' && { body: request.body }),
      });
    const fault = this.faults.shift() ?? this.options.refuses?.(request);
    if (fault) return void (await fault(response, real));
    const answer = await real();
    const kept = [...answer.headers].filter(([name]) => name === 'content-type' || this.options.kept?.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
  }
}

/** Answers with JSON. */
export const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): ProxyFault =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Answers, and the connection is cut before the end of it. */
export const cutOff = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': '1000' }).write('[');
  setImmediate(() => response.destroy());
};

/** Answers without an end. */
export const endless = (response: ServerResponse): void => {
  const pour = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
};

/** A port that was free just now, for a server that can not pick one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
