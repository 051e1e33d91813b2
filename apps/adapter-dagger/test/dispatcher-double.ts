import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkAnswer, checkRequest } from './contract.js';
import type { SeenRequest } from './contract.js';
import { ARTIFACTS, LOG, RUNS } from './dispatcher-records.js';

/** Answers one request in the place of the dispatcher, by the contract or not. */
export type Fault = (response: ServerResponse) => void;

/** A ci-dispatcher. Whatever it is asked, and whatever it answers unless it is told to fail, is held to the contract. */
export class DispatcherDouble {
  readonly requests: SeenRequest[] = [];
  /** What was against the contract, of requests and of answers. */
  readonly violations: string[] = [];
  /** The tokens that it takes. */
  readonly tokens = new Set<string>();
  /** What becomes of the next requests, in turn. */
  readonly faults: Fault[] = [];
  private watching: (() => void) | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<DispatcherDouble> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const double = new DispatcherDouble(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void double.handle(request, response));
    return double;
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
    const { operation, problems } = checkRequest(seen);
    this.violations.push(...problems.map((problem) => `${method} ${url}: ${problem}`));
    this.watching?.();
    const fault = this.faults.shift();
    if (fault) return fault(response);
    const { status, headers: sent, body } = this.answer(seen, operation?.operationId);
    if (operation) this.violations.push(...checkAnswer(operation, status, sent, body));
    response.writeHead(status, sent).end(JSON.stringify(body));
  }

  private answer({ url, headers }: SeenRequest, operation: string | undefined) {
    const { pathname, searchParams } = new URL(url, this.url);
    const run = RUNS.find(({ id }) => id === pathname.split('/')[3]);
    if (operation === 'health') return json({ status: 'ok' });
    if (!this.tokens.has(String(headers['authorization']).replace('Bearer ', ''))) return problem(401, 'Unauthorized');
    if (operation === 'listRuns') return listed(searchParams);
    if (!operation || !run) return problem(404, 'Not Found');
    if (operation === 'getRun') return json(run);
    return operation === 'getLogs' ? logged(run.id, searchParams) : json({ data: ARTIFACTS[run.id] ?? [] });
  }
}

const json = (body: unknown) => ({ status: 200, headers: { 'content-type': 'application/json' }, body });

/** An error answer by the contract, and with what a careless server may say in it. */
export const problem = (status: number, title: string, retryAfter?: number) => ({
  status,
  headers: {
    'content-type': 'application/problem+json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  } as Record<string, string>,
  body: { type: 'about:blank', title, status, detail: 'at ci-db.internal:5432, /srv/dispatcher/main.go:42' },
});

export const failing =
  (status: number, retryAfter?: number): Fault =>
  (response) => {
    const { headers, body } = problem(status, `Status ${status}`, retryAfter);
    response.writeHead(status, headers).end(JSON.stringify(body));
  };

function listed(asked: URLSearchParams) {
  const wanted = (name: string, value: string) => asked.get(name) === null || asked.get(name) === value;
  const after = Date.parse(asked.get('created_after') ?? '1970-01-01');
  const found = RUNS.filter(
    (run) =>
      wanted('status', run.status) &&
      wanted('pipeline', run.pipeline) &&
      wanted('branch', run.source.branch) &&
      run.source.commit.startsWith(asked.get('commit') ?? '') &&
      Date.parse(run.created_at) > after,
  );
  const from = offsetOf(asked);
  const limit = Number(asked.get('limit') ?? 20);
  return json({ data: found.slice(from, from + limit), next_cursor: cursorAt(from + limit, found.length) });
}

function logged(run: string, asked: URLSearchParams) {
  const lines = (LOG[run] ?? []).filter(({ step }) => step === (asked.get('step') ?? step));
  const from = offsetOf(asked);
  let room = Number(asked.get('limit_bytes') ?? 32_768);
  let to = from;
  while (to < lines.length && (room -= Buffer.byteLength(lines[to]!.text)) >= 0) to++;
  const isRunning = RUNS.find(({ id }) => id === run)?.status === 'running';
  const next_cursor = cursorAt(to, isRunning ? Infinity : lines.length);
  return json({ data: lines.slice(from, to), next_cursor, complete: next_cursor === null });
}

const cursorAt = (offset: number, total: number): string | null =>
  offset < total ? Buffer.from(`o${offset}`).toString('base64url') : null;
const offsetOf = (asked: URLSearchParams): number =>
  Number(
    Buffer.from(asked.get('cursor') ?? '', 'base64url')
      .toString()
      .slice(1),
  );
