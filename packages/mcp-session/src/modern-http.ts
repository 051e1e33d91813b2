import type { Answer, Ask, Connection, ServerFacts, SessionParts } from './connection.js';
import { contextHeaders } from './forwarded-context.js';
import { headerValue } from './header-values.js';
import { needsAnew } from './http-endpoint.js';
import type { HttpEndpoint } from './http-endpoint.js';
import type { ExchangeOutcome } from './http-exchange.js';
import { Listening, listensFor } from './listening.js';
import { deliverNotice } from './notices.js';
import { modernMeta } from './request-meta.js';
import { MODERN } from './revisions.js';

/** The name that `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** A 2026-07-28 server over HTTP: no session, every request carries everything itself. */
export class ModernHttpConnection implements Connection {
  #ended = false;
  readonly #listening: Listening | undefined;

  constructor(
    private readonly endpoint: HttpEndpoint,
    private readonly parts: SessionParts,
    readonly facts: ServerFacts,
  ) {
    const wanted = listensFor(facts.capabilities);
    if (wanted !== undefined) this.#listening = new Listening(this, wanted, parts);
  }

  get ended(): boolean {
    return this.#ended;
  }

  async ask(ask: Ask): Promise<Answer> {
    const outcome = await modernExchange(this.endpoint, this.parts, ask);
    const { answer, status, bytes } = outcome;
    if (answer !== undefined && 'result' in answer && status < 300) return { result: answer.result, bytes };
    if (needsAnew(outcome)) this.#ended = true;
    throw modernFault(outcome, this.parts);
  }

  async retire(): Promise<void> {
    this.#ended = true;
    await this.#listening?.close();
    await this.endpoint.drain();
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.#listening?.close();
    await this.endpoint.close();
  }
}

/** One 2026-07-28 request over HTTP, whatever comes of it: discovery reads the outcome itself. */
export function modernExchange(endpoint: HttpEndpoint, parts: SessionParts, ask: Ask): Promise<ExchangeOutcome> {
  const id = parts.nextId();
  const token = ask.onNotice === undefined ? undefined : id;
  const params = { ...ask.params, _meta: modernMeta(ask, parts, token) };
  const headers = endpoint.postHeaders('mcp-protocol-version', MODERN, 'mcp-method', ask.method);
  const named = NAMED_BY[ask.method];
  if (named !== undefined) headers.push('mcp-name', headerValue(String(ask.params[named])));
  if (ask.paramHeaders !== undefined) headers.push(...ask.paramHeaders);
  if (ask.context !== undefined) headers.push(...contextHeaders(ask.context));
  return endpoint.exchange({
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id, method: ask.method, params }),
    id,
    signal: ask.signal,
    limitBytes: ask.limitBytes,
    onMessage:
      ask.onMessage ?? (token === undefined ? undefined : (message) => deliverNotice(message, ask, token, parts)),
  });
}

/** What an answer that holds no result says of the failure. */
export function modernFault({ answer, status, headers, streamed }: ExchangeOutcome, { faults }: SessionParts) {
  // A proxy in between speaks by these statuses, whatever body it puts under them.
  const spoken = [401, 403, 429, 502, 503, 504].includes(status);
  if (!spoken && answer !== undefined && 'error' in answer) return faults.rpc(answer.error);
  if (status >= 300) return faults.status(status, headers);
  return streamed ? faults.unavailable('unknown', new Error('the stream ended without an answer')) : faults.garbage();
}
