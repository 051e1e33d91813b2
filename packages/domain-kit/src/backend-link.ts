import { setTimeout as sleep } from 'node:timers/promises';
import { CONTEXT_HEADERS, Fault } from '@portico/contracts';
import type { CallContext } from '@portico/contracts';
import { below, inSpan } from '@portico/observe';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { addressProblem } from './backend-address.js';
import { BackendAnswer } from './backend-answer.js';
import { backendUrl } from './backend-url.js';
import { faultOfConnection, faultOfStatus } from './backend-faults.js';
import type { CallScope } from './call-scope.js';
import type { Credential } from './credential.js';
import type { SourceLog } from './source-log.js';

export interface BackendSettings {
  /** What messages call it, as the beginning of a sentence: "The dispatcher". Never its address. */
  readonly name: string;
  /** https://, or http:// for loopback and cluster-internal names; a path in it is put before every path asked. */
  readonly baseUrl: string;
  readonly credential?: Credential;
  /** Headers that carry the credential; `Authorization: Bearer …` unless given. */
  readonly authorize?: (secret: string) => Record<string, string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds one request may take, within the call's own deadline. Default 20,000. */
  readonly timeoutMs?: number;
  /** Most bytes of one answer. Default 8,388,608. */
  readonly answerLimitBytes?: number;
  /** PEM of the authorities to trust, when they are not the system's. */
  readonly ca?: string;
  /** A sentence for callers from an error answer; undefined keeps the generic one. What it returns is shown: let no internals through. */
  readonly explain?: (status: number, body: string) => string | undefined;
  /** What an error answer means, for a backend whose status alone does not say it; undefined leaves it to the status. Its message is shown. */
  readonly faultOf?: (status: number, headers: BackendAnswer['headers'], body: string) => Fault | undefined;
  readonly log?: SourceLog;
}

export interface BackendRequest {
  /** Begins with `/`; made with `path` so that every value in it is encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly scope: CallScope;
}

const TIMEOUT_MS = 20_000;
const ANSWER_LIMIT_BYTES = 8 * 1024 * 1024;
const RETRY_PAUSE_MS = 100;
const SECRET = '[secret]';

/** One backend over HTTP: its pool, its credential, its limits. The clients' common ground; not for use by itself. */
export class BackendLink {
  private readonly agent: Agent;
  private readonly base: URL;

  /** Throws, in a sentence, for an address that may not be used. */
  constructor(private readonly settings: BackendSettings) {
    const problem = addressProblem(settings.baseUrl);
    if (problem !== undefined) throw new Error(`The address of "${settings.name}" cannot be used: ${problem}.`);
    this.base = new URL(settings.baseUrl);
    // Timeouts are ours, per request: the agent's own would only blur what ran out.
    this.agent = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { ...(settings.ca !== undefined && { ca: settings.ca }) },
    });
  }

  /** A GET, asked once more after a failed connection or a 503, when the deadline leaves room. */
  async get(asked: BackendRequest): Promise<BackendAnswer> {
    try {
      return await this.exchange('GET', asked);
    } catch (error) {
      const { code, retryAfterMs: wait = RETRY_PAUSE_MS } = Fault.from(error);
      if (
        code !== 'BACKEND_UNAVAILABLE' ||
        statusOf(error) === 502 ||
        statusOf(error) === 504 ||
        wait >= asked.scope.remainingMs()
      )
        throw error;
      await sleep(wait, undefined, { signal: asked.scope.signal }).catch(() => {
        throw error;
      });
      return this.exchange('GET', asked);
    }
  }

  /** One request, sent at most once. Within a trace it is a span, of which nothing is told that its path may hold. */
  exchange(
    method: Dispatcher.HttpMethod,
    asked: BackendRequest,
    body?: { type: string; data: string | Buffer },
  ): Promise<BackendAnswer> {
    const { context } = asked.scope;
    if (context?.traceparent === undefined) return this.ask(method, asked, context, body);
    return inSpan('client', method, '', context.traceparent, async (span) => {
      span?.set('http.request.method', method);
      span?.set('peer.service', this.settings.name);
      const answer = await this.ask(method, asked, below(span, context), body);
      span?.set('http.response.status_code', answer.status);
      return answer;
    });
  }

  private async ask(
    method: Dispatcher.HttpMethod,
    asked: BackendRequest,
    context: CallContext | undefined,
    body?: { type: string; data: string | Buffer },
  ): Promise<BackendAnswer> {
    const { scope } = asked;
    const url = backendUrl(this.base, asked);
    const secret = await this.settings.credential?.read();
    const headers = {
      accept: 'application/json',
      ...this.settings.headers,
      ...asked.headers,
      ...(body && { 'content-type': body.type }),
      ...contextHeaders(context),
      ...(secret !== undefined && authorization(this.settings, secret)),
    };
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, Math.max(0, Math.min(this.settings.timeoutMs ?? TIMEOUT_MS, scope.remainingMs())));
    scope.signal.addEventListener('abort', end, { once: true });
    try {
      if (scope.signal.aborted)
        throw new Fault('CANCELLED', 'The call ended before its backend was asked.', { executed: 'no' });
      return await this.send(
        url,
        { method, headers, body: body?.data ?? null, signal: ending.signal },
        context,
        secret,
      );
    } catch (error) {
      if (error instanceof Fault) throw error;
      if (ending.signal.aborted) throw this.endedFault(scope, error);
      this.settings.log?.warn('backend.connection-failed', {
        backend: this.settings.name,
        correlationId: context?.correlationId,
        code: (error as NodeJS.ErrnoException).code,
      });
      throw faultOfConnection(error, this.settings.name);
    } finally {
      clearTimeout(timer);
      scope.signal.removeEventListener('abort', end);
    }
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async send(
    url: URL,
    options: Parameters<typeof request>[1] & { method: Dispatcher.HttpMethod },
    context: CallContext | undefined,
    secret: string | undefined,
  ): Promise<BackendAnswer> {
    // undici follows no redirect unless told to: a 3xx arrives here as the answer it is.
    const { statusCode, headers, body } = await request(url, { ...options, dispatcher: this.agent });
    const content = await this.capped(body, options.method);
    if (statusCode >= 200 && statusCode < 300)
      return new BackendAnswer(statusCode, headers, content, this.settings.name);
    const { name, explain, faultOf, log } = this.settings;
    // A backend may complain of the credential by repeating it.
    const said = content.toString('utf8').replaceAll(secret ?? SECRET, SECRET);
    const retryAfter = headers['retry-after'];
    const fault =
      faultOf?.(statusCode, headers, said) ??
      faultOfStatus(
        statusCode,
        name,
        Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        explain?.(statusCode, said),
      );
    if (fault.code === 'UNAUTHENTICATED')
      log?.error('backend.credential-refused', { backend: name, correlationId: context?.correlationId });
    throw fault;
  }

  private async capped(body: Dispatcher.ResponseData['body'], method: string): Promise<Buffer> {
    const limit = this.settings.answerLimitBytes ?? ANSWER_LIMIT_BYTES;
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Leaving the loop early destroys the body, and with it the connection.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) {
        const message = `${this.settings.name} answered with more than the ${limit} bytes that are read.`;
        throw new Fault('PAYLOAD_TOO_LARGE', message, { executed: method === 'GET' ? 'yes' : 'unknown' });
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  private endedFault(scope: CallScope, cause: unknown): Fault {
    const { name } = this.settings;
    if (scope.signal.aborted && scope.remainingMs() > 0)
      return new Fault('CANCELLED', `The call was cancelled while ${name} was at work.`, { cause });
    return new Fault('TIMEOUT', `${name} did not answer in time.`, { cause });
  }
}

const authorization = ({ authorize }: BackendSettings, secret: string): Record<string, string> =>
  authorize?.(secret) ?? { authorization: `Bearer ${secret}` };

const statusOf = (error: unknown): unknown => ((error as Error).cause as { status?: unknown } | undefined)?.status;

const contextHeaders = (context: CallContext | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(CONTEXT_HEADERS).flatMap(([key, header]) => {
      const value = context?.[key as keyof typeof CONTEXT_HEADERS];
      return value === undefined ? [] : [[header, String(value)]];
    }),
  );
