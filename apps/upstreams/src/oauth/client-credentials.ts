import { Fault } from '@portico/contracts';
import type { StopSignal } from '@portico/contracts';
import { Reason, SharedAttempt } from '@portico/mcp-session';
import type { Authorization } from '@portico/mcp-session';
import type { OAuthClient } from '../server-entry.js';
import { stopped } from '../stopped.js';
import { guardedRequest, jsonObject } from './guarded-request.js';
import { findTokenEndpoint } from './token-endpoint.js';
import type { TokenEndpoint } from './token-endpoint.js';

export interface ClientCredentialsOptions {
  readonly server: string;
  /** The server's address: what the token is for. */
  readonly url: string;
  readonly oauth: OAuthClient;
  readonly allowPrivate: boolean;
  /** Reads the references of a text. */
  resolve(text: string): Promise<string>;
}

interface Token {
  readonly value: string;
  readonly hadAt: number;
  readonly until: number;
}

/** All requests for one token together, in milliseconds. */
const TIME_LIMIT_MS = 20_000;
/** A token whose server does not say how long it lives is kept so long, in seconds. */
const USUAL_SECS = 300;
/** A token is replaced this share of its life before it ends, 30 s at most. */
const SKEW = 0.1;
const SKEW_LIMIT_MS = 30_000;
/** A token refused so soon after it was had is not replaced: another would be refused too. In milliseconds. */
const FRESH_MS = 1_000;
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** OAuth 2.1 client credentials of one server: a token had by one request that all callers share, kept while it lives. */
export class ClientCredentials implements Authorization {
  #token: Token | undefined;
  #endpoint: TokenEndpoint | undefined;
  #asking: SharedAttempt<Token> | undefined;

  constructor(private readonly options: ClientCredentialsOptions) {}

  async current(signal: StopSignal): Promise<string> {
    if (this.#token === undefined || this.#token.until <= performance.now()) await this.#anew(signal);
    return `Bearer ${this.#token!.value}`;
  }

  async renewed(refused: string, signal: StopSignal): Promise<string> {
    const token = this.#token;
    if (token === undefined || `Bearer ${token.value}` !== refused) return this.current(signal);
    if (performance.now() - token.hadAt < FRESH_MS) return refused;
    await this.#anew(signal);
    return this.current(signal);
  }

  async #anew(signal: StopSignal): Promise<void> {
    this.#asking ??= new SharedAttempt(TIME_LIMIT_MS, (within) =>
      this.#ask(within).finally(() => (this.#asking = undefined)),
    );
    this.#token = await this.#asking.join(signal, () => stopped(signal.reason));
  }

  async #ask(signal: AbortSignal): Promise<Token> {
    const { server } = this.options;
    try {
      this.#endpoint ??= await this.#find(signal);
      return await this.#request(this.#endpoint, signal);
    } catch (error) {
      // What was learnt may have changed.
      this.#endpoint = undefined;
      if (error instanceof Fault) throw error;
      throw new Fault('BACKEND_UNAVAILABLE', `No credentials for the server "${server}" could be had.`, {
        executed: 'no',
        cause: error,
      });
    }
  }

  async #find(signal: AbortSignal): Promise<TokenEndpoint> {
    const { oauth, url, allowPrivate } = this.options;
    if (oauth.tokenUrl !== undefined) return { url: oauth.tokenUrl, clientAuth: 'basic' };
    return findTokenEndpoint(url, { allowPrivate, signal });
  }

  async #request({ url, clientAuth }: TokenEndpoint, signal: AbortSignal): Promise<Token> {
    const { server, oauth, allowPrivate, resolve } = this.options;
    const id = oauth.clientId;
    const secret = await resolve(oauth.clientSecret);
    const form = new URLSearchParams({ grant_type: 'client_credentials', resource: this.options.url });
    if (oauth.scope !== undefined) form.set('scope', oauth.scope);
    if (clientAuth === 'post') {
      form.set('client_id', id);
      form.set('client_secret', secret);
    }
    const authorization = clientAuth === 'basic' ? `Basic ${basic(id, secret)}` : undefined;
    const { status, text } = await guardedRequest({ url, form, authorization, allowPrivate, signal });
    const answer = jsonObject(text) ?? {};
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      const code = /^[a-z_]{1,64}$/.exec(String(answer['error']))?.[0] ?? 'no code';
      throw new Fault('UNAUTHENTICATED', `The server "${server}" does not accept the configured credentials.`, {
        executed: 'no',
        cause: new Reason(`the token endpoint answered ${status}, ${code}`),
      });
    }
    const { access_token: value, token_type: type, expires_in: expires } = answer;
    if (status !== 200 || typeof value !== 'string' || !TOKEN.test(value) || !/^bearer$/i.test(String(type))) {
      throw new Reason(`the token endpoint answered ${status} without a bearer token`);
    }
    const secs = typeof expires === 'number' || typeof expires === 'string' ? Number(expires) : USUAL_SECS;
    const lifeMs = 1_000 * (Number.isFinite(secs) ? Math.max(secs, 0) : USUAL_SECS);
    const hadAt = performance.now();
    return { value, hadAt, until: hadAt + lifeMs - Math.min(lifeMs * SKEW, SKEW_LIMIT_MS) };
  }
}

/** RFC 6749, 2.3.1: both are form-encoded before they are joined. */
const basic = (id: string, secret: string): string =>
  Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
