import { Pool } from 'undici';
import { UNSUPPORTED_VERSION } from './faults.js';
import { exchange } from './http-exchange.js';
import type { ExchangeOutcome, ExchangeRequest } from './http-exchange.js';
import type { SessionParts } from './connection.js';
import type { Authorization, HttpTarget } from './target.js';

/** Headers that belong to the protocol or to the connection: a configured one of that name is not sent. */
const OURS =
  /^(?:accept|content-type|content-length|connection|keep-alive|transfer-encoding|te|upgrade|expect|last-event-id|mcp-.*)$/i;
/** Most connections to one server; beyond that requests wait for one, until their signal aborts. */
const CONNECTIONS = 256;

/** Most redirects in a row that are followed. */
const REDIRECTS = 3;

export type EndpointRequest = Omit<ExchangeRequest, 'path' | 'limitBytes'> & { limitBytes?: number | undefined };

/** The pool of connections to one Streamable HTTP server, and what every request to it has in common. */
export class HttpEndpoint {
  readonly #pool: Pool;
  readonly #origin: string;
  #path: string;
  readonly #authorization: Authorization | undefined;
  readonly #configured: readonly string[];

  constructor(
    target: HttpTarget,
    readonly parts: SessionParts,
  ) {
    const url = new URL(target.url);
    this.#origin = url.origin;
    this.#path = url.pathname + url.search;
    this.#authorization = target.authorization;
    const isOurs = (name: string): boolean =>
      OURS.test(name) || (this.#authorization !== undefined && /^authorization$/i.test(name));
    this.#configured = Object.entries(target.headers)
      .filter(([name]) => !isOurs(name))
      .flat();
    // Time is bounded by the signal of each request, so undici's own limits would only cut long calls short.
    this.#pool = new Pool(url.origin, {
      connections: CONNECTIONS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: parts.connectTimeoutMs, ...(target.lookup !== undefined && { lookup: target.lookup }) },
      allowH2: false,
    });
  }

  /** Headers of every POST, to be continued by the era's own. */
  postHeaders(...more: string[]): string[] {
    return [
      'accept',
      'application/json, text/event-stream',
      'content-type',
      'application/json',
      ...this.#configured,
      ...more,
    ];
  }

  /** Headers of a GET that opens or resumes an event stream, or of a DELETE. */
  bareHeaders(...more: string[]): string[] {
    return ['accept', 'text/event-stream', ...this.#configured, ...more];
  }

  /**
   * One request and its answer. Sent again only after an answer that says nothing was done: 401, once, when there are newer
   * credentials; a redirect that keeps method and body, at the same place, three times at most. Others are not followed.
   */
  async exchange(request: EndpointRequest): Promise<ExchangeOutcome> {
    let credential = await this.#authorization?.current(request.signal);
    let outcome = await this.#send(request, credential);
    if (outcome.status === 401 && credential !== undefined) {
      const renewed = await this.#authorization!.renewed(credential, request.signal);
      if (renewed !== credential) outcome = await this.#send(request, (credential = renewed));
    }
    for (let left = REDIRECTS; left > 0 && this.#follows(outcome); left--) {
      outcome = await this.#send(request, credential);
    }
    return outcome;
  }

  #send({ headers, ...request }: EndpointRequest, credential: string | undefined): Promise<ExchangeOutcome> {
    const { answerLimitBytes, faults } = this.parts;
    const limitBytes = Math.min(request.limitBytes ?? answerLimitBytes, answerLimitBytes);
    const sent = credential === undefined ? headers : [...headers, 'authorization', credential];
    return exchange(this.#pool, { ...request, headers: sent, path: this.#path, limitBytes }, faults);
  }

  /** Whether a redirect stays at this place; then everything from now on goes to its path. */
  #follows({ status, headers: { location } }: ExchangeOutcome): boolean {
    if ((status !== 307 && status !== 308) || location === undefined) return false;
    const url = URL.parse(location, this.#origin + this.#path);
    if (url === null || url.origin !== this.#origin || url.username !== '' || url.password !== '') return false;
    this.#path = url.pathname + url.search;
    return true;
  }

  /** Ends every connection once nothing runs on it. */
  drain(): Promise<void> {
    return this.#pool.closed || this.#pool.destroyed ? Promise.resolve() : this.#pool.close();
  }

  /** Ends every connection, whatever runs on it. Idempotent. */
  close(): Promise<void> {
    return this.#pool.destroyed ? Promise.resolve() : this.#pool.destroy();
  }
}

/** Codes by which servers say that they know no such session. */
const SESSION_DOUBTS: ReadonlySet<number> = new Set([-32000, -32001, -32600]);

/**
 * Whether an answer ends what was agreed on, so that the next use connects anew: who answers is not, or no longer, who we
 * agreed a revision and a session with, or our credentials have aged.
 */
export const needsAnew = ({ status, answer }: ExchangeOutcome): boolean => {
  const code = answer !== undefined && 'error' in answer ? answer.error.code : undefined;
  if (status === 401 || code === UNSUPPORTED_VERSION) return true;
  return [400, 404, 405, 406, 415].includes(status) && (code === undefined || SESSION_DOUBTS.has(code));
};
