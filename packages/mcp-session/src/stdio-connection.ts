import type { Answer, Ask, Connection, ServerFacts, SessionParts } from './connection.js';
import { contextMeta } from './forwarded-context.js';
import { isObject } from './json-rpc.js';
import type { JsonObject } from './json-rpc.js';
import { Listening, listensFor } from './listening.js';
import { deliverNotice, takeAnnouncement } from './notices.js';
import { legacyMeta, modernMeta } from './request-meta.js';
import type { ServerProcess } from './server-process.js';

/** A server over stdio, in either era: they differ in what a request carries, not in how it travels. */
export class StdioConnection implements Connection {
  #ended = false;
  readonly #listening: Listening | undefined;

  constructor(
    private readonly server: ServerProcess,
    private readonly parts: SessionParts,
    readonly facts: ServerFacts,
  ) {
    const wanted = facts.era === 'modern' ? listensFor(facts.capabilities) : undefined;
    if (wanted !== undefined) this.#listening = new Listening(this, wanted, parts);
  }

  get ended(): boolean {
    return this.#ended || this.server.ended;
  }

  async ask(ask: Ask): Promise<Answer> {
    const id = this.parts.nextId();
    const token = ask.onNotice === undefined ? undefined : id;
    const meta = this.facts.era === 'modern' ? modernMeta(ask, this.parts, token) : legacyMeta(ask, token);
    const told = contextMeta(ask.context);
    const _meta = told === undefined ? meta : { ...meta, ...told };
    const params = _meta === undefined ? ask.params : { ...ask.params, _meta };
    const { answer, bytes } = await this.server.request(
      id,
      JSON.stringify({ jsonrpc: '2.0', id, method: ask.method, params }),
      {
        signal: ask.signal,
        limitBytes: ask.limitBytes,
        onMessage: ask.onMessage ?? ((message) => deliverNotice(message, ask, token, this.parts)),
      },
    );
    if ('result' in answer) return { result: answer.result, bytes };
    throw this.parts.faults.rpc(answer.error);
  }

  /** It is retired only when its process has ended: nothing runs on it. */
  retire(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    this.#ended = true;
    const ended = this.server.close();
    await this.#listening?.close();
    await ended;
  }
}

/**
 * Sorts what a process says unasked. Progress names its call by our token, a subscription's messages by its id. Log lines
 * name no call, and one pipe carries everybody's: they are nobody's.
 */
export function sortNotification(server: ServerProcess, message: JsonObject, parts: SessionParts): void {
  const params = isObject(message.params) ? message.params : {};
  const meta = isObject(params._meta) ? params._meta : {};
  if (message.method === 'notifications/progress') server.forward(params.progressToken, message);
  else if (message.method === 'notifications/subscriptions/acknowledged') {
    server.forward(meta['io.modelcontextprotocol/subscriptionId'], message);
  } else takeAnnouncement(message, parts);
}
