import { Fault } from '@portico/contracts';
import type { Answer, Ask, Connection, ServerFacts, SessionParts } from './connection.js';
import { contextHeaders } from './forwarded-context.js';
import { needsAnew } from './http-endpoint.js';
import type { HttpEndpoint } from './http-endpoint.js';
import type { ExchangeOutcome } from './http-exchange.js';
import { legacyFacts, initializeParams } from './initialize.js';
import { replyTo } from './json-rpc.js';
import type { JsonObject } from './json-rpc.js';
import { keepOpen, listensFor } from './listening.js';
import { modernFault } from './modern-http.js';
import { deliverNotice, takeAnnouncement } from './notices.js';
import { legacyMeta } from './request-meta.js';
import { resumedStream } from './resumed-stream.js';

/** How long the words that end something (cancelled, DELETE, a reply to the server) may take, in milliseconds. */
const PARTING_MS = 2_000;
/** Most such words under way at a time: a server that asks in floods is not answered in floods. */
const TOLD_AT_ONCE = 16;
/** A server of 2025 and before over HTTP, with the session it may have given. */
export class LegacyHttpConnection implements Connection {
  #ended = false;
  #telling = 0;
  #closing: Promise<void> | undefined;
  readonly #abort = new AbortController();
  #listening: Promise<void> | undefined;

  private constructor(
    private readonly endpoint: HttpEndpoint,
    private readonly parts: SessionParts,
    readonly facts: ServerFacts,
    private readonly sessionHeaders: readonly string[],
    private readonly sessionId: string | undefined,
  ) {}

  /** `initialize`, then `notifications/initialized`. Rejects with a Fault; the endpoint stays the caller's to close. */
  static async open(endpoint: HttpEndpoint, parts: SessionParts, signal: AbortSignal): Promise<LegacyHttpConnection> {
    const id = parts.nextId();
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: initializeParams(parts) });
    const outcome = await endpoint.exchange({ method: 'POST', headers: endpoint.postHeaders(), body, id, signal });
    const { answer, headers } = outcome;
    if (answer === undefined || !('result' in answer)) throw modernFault(outcome, parts);
    const facts = legacyFacts(answer.result, parts);
    const given = headers['mcp-session-id'];
    const sessionId = typeof given === 'string' ? given : undefined;
    const sessionHeaders = ['mcp-protocol-version', facts.protocolVersion];
    if (sessionId !== undefined) sessionHeaders.push('mcp-session-id', sessionId);
    const connection = new LegacyHttpConnection(endpoint, parts, facts, sessionHeaders, sessionId);
    await connection.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, signal);
    if (listensFor(facts.capabilities) !== undefined) connection.#listen();
    return connection;
  }

  get ended(): boolean {
    return this.#ended;
  }

  async ask(ask: Ask): Promise<Answer> {
    const id = this.parts.nextId();
    const token = ask.onNotice === undefined ? undefined : id;
    const _meta = legacyMeta(ask, token);
    const params = _meta === undefined ? ask.params : { ...ask.params, _meta };
    const onMessage = (message: JsonObject): void => {
      if (message.id !== undefined) this.#tell(replyTo(message));
      else if (!takeAnnouncement(message, this.parts)) deliverNotice(message, ask, token, this.parts);
    };
    const told = contextHeaders(ask.context);
    const { signal, limitBytes } = ask;
    const stream = { id, signal, limitBytes, onMessage };
    let outcome: ExchangeOutcome;
    try {
      outcome = await this.endpoint.exchange({
        ...stream,
        method: 'POST',
        headers: this.endpoint.postHeaders(...this.sessionHeaders, ...told),
        body: JSON.stringify({ jsonrpc: '2.0', id, method: ask.method, params }),
      });
      if (outcome.answer === undefined && outcome.streamed) {
        const headers = this.endpoint.bareHeaders(...this.sessionHeaders, ...told);
        outcome = await resumedStream(this.endpoint, outcome, { ...stream, method: 'GET', headers, body: null });
      }
    } catch (error) {
      // In this era a closed stream is no cancellation: it has to be said.
      if (signal.aborted && Fault.from(error).executed !== 'no') {
        this.#tell(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
      }
      throw error;
    }
    const { answer, status, bytes } = outcome;
    if (answer !== undefined && 'result' in answer && status < 300) return { result: answer.result, bytes };
    if (status === 404 && this.sessionId !== undefined) {
      this.#ended = true;
      throw this.parts.faults.sessionUnknown();
    }
    if (needsAnew(outcome)) this.#ended = true;
    throw modernFault(outcome, this.parts);
  }

  async retire(): Promise<void> {
    this.#ended = true;
    this.#abort.abort();
    await this.#listening;
    await this.endpoint.drain();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const known = !this.#ended;
    this.#ended = true;
    this.#abort.abort();
    await this.#listening;
    if (known && this.sessionId !== undefined) {
      await this.endpoint
        .exchange({
          method: 'DELETE',
          headers: this.endpoint.bareHeaders(...this.sessionHeaders),
          body: null,
          id: undefined,
          signal: AbortSignal.timeout(PARTING_MS),
        })
        .catch(() => undefined);
    }
    await this.endpoint.close();
  }

  /** Keeps the stream open by which such a server speaks unasked. One that has none (405) is never asked again. */
  #listen(): void {
    const { endpoint, parts } = this;
    this.#listening = keepOpen(
      async (signal, onOpen) => {
        const outcome = await endpoint.exchange({
          method: 'GET',
          headers: endpoint.bareHeaders(...this.sessionHeaders),
          body: null,
          id: undefined,
          signal,
          onStatus: (status) => {
            if (status < 300) onOpen();
          },
          onMessage: (message) => {
            if (message.id !== undefined) this.#tell(replyTo(message));
            else takeAnnouncement(message, parts);
          },
        });
        if (outcome.status === 404 && this.sessionId !== undefined) {
          // The session is gone: the next use makes another, and with it another stream.
          this.#ended = true;
          this.#abort.abort();
        } else if (outcome.status >= 400 && outcome.status < 500 && outcome.status !== 429) {
          throw new Fault('UNSUPPORTED', 'no stream for unasked messages');
        }
      },
      this.#abort.signal,
      parts,
    );
  }

  /** Says something that has no answer, and waits for nothing. */
  #tell(body: string): void {
    if (this.#ended || this.#telling >= TOLD_AT_ONCE) return;
    this.#telling++;
    this.#post(body, AbortSignal.timeout(PARTING_MS))
      .catch((error: unknown) => this.parts.log.debug('session.message-not-taken', { server: this.parts.name, error }))
      .finally(() => this.#telling--);
  }

  async #post(message: JsonObject | string, signal: AbortSignal): Promise<void> {
    const headers = this.endpoint.postHeaders(...this.sessionHeaders);
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    await this.endpoint.exchange({ method: 'POST', headers, body, id: undefined, signal });
  }
}
