import { Fault } from '@portico/contracts';
import { BackendClient, credentialFrom } from '@portico/domain-kit';
import type { BackendSettings, CallScope } from '@portico/domain-kit';
import { LogLevel, WebClient } from '@slack/web-api';
import type { WebAPICallResult, WebClientOptions } from '@slack/web-api';
import type { z } from 'zod';
import type { SlackBridgeConfig } from './config.js';
import { httpFault, isOperators, slackFault } from './faults.js';
import { Anything, Channels, Messages, OneChannel, Posted, Users } from './replies.js';
import type { Channel } from './replies.js';

type Fetch = NonNullable<WebClientOptions['fetch']>;

/** Slack's client would write requests and answers whole. */
const SILENT: WebClientOptions['logger'] = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => LogLevel.ERROR,
};

/** Which part of a list; `limit` from 1 to 200. */
interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Slack's Web API, by the methods that the bridge offers and no other. Nothing is asked twice. */
export class SlackClient {
  readonly #backend: BackendClient;
  /** What Slack last refused the bridge itself for: told once, not at each request until somebody mends it. */
  #refused: string | undefined;

  constructor(
    config: SlackBridgeConfig,
    private readonly log: NonNullable<BackendSettings['log']>,
  ) {
    this.#backend = new BackendClient({
      name: 'Slack',
      baseUrl: config.apiUrl,
      credential: credentialFrom(config.token, log),
      headers: { 'user-agent': 'portico' },
      faultOf: httpFault,
      log,
    });
  }

  channels(types: string, page: Page, scope: CallScope) {
    return this.#ask(Channels, scope, (slack) =>
      slack.conversations.list({ types, exclude_archived: true, ...given(page) }),
    );
  }

  async channel(channel: string, scope: CallScope): Promise<Channel> {
    return (await this.#ask(OneChannel, scope, (slack) => slack.conversations.info({ channel }))).channel;
  }

  /** Newest first. `oldest` and `latest` are times of messages, neither included. */
  history(
    channel: string,
    span: { oldest?: string | undefined; latest?: string | undefined },
    page: Page,
    scope: CallScope,
  ) {
    return this.#ask(Messages, scope, (slack) =>
      slack.conversations.history({ channel, ...given(span), ...given(page) }),
    );
  }

  replies(channel: string, ts: string, page: Page, scope: CallScope) {
    return this.#ask(Messages, scope, (slack) => slack.conversations.replies({ channel, ts, ...given(page) }));
  }

  users(page: Page, scope: CallScope) {
    return this.#ask(Users, scope, (slack) => slack.users.list(given(page)));
  }

  /** `text` as Slack takes it. Gives the name of the new message. */
  async post(channel: string, text: string, thread: { ts: string; broadcast: boolean } | undefined, scope: CallScope) {
    // Slack fetches nothing that a text names: an address with secrets in it would tell them to its server.
    const quiet = { unfurl_links: false, unfurl_media: false, link_names: false, parse: 'none' } as const;
    const { ts } = await this.#ask(Posted, scope, (slack) =>
      slack.chat.postMessage(
        thread === undefined
          ? { channel, text, ...quiet }
          : thread.broadcast
            ? { channel, text, ...quiet, thread_ts: thread.ts, reply_broadcast: true }
            : { channel, text, ...quiet, thread_ts: thread.ts },
      ),
    );
    return ts;
  }

  /** Whether it was not there yet. */
  async react(channel: string, timestamp: string, name: string, scope: CallScope): Promise<boolean> {
    try {
      await this.#ask(Anything, scope, (slack) => slack.reactions.add({ channel, timestamp, name }));
      return true;
    } catch (error) {
      if (error instanceof AlreadyReacted) return false;
      throw error;
    }
  }

  /** Throws unless Slack answers and takes our token. */
  async check(scope: CallScope): Promise<void> {
    await this.#ask(Anything, scope, (slack) => slack.auth.test());
  }

  close(): Promise<void> {
    return this.#backend.close();
  }

  async #ask<S extends z.ZodType>(
    shape: S,
    scope: CallScope,
    method: (slack: WebClient) => Promise<WebAPICallResult>,
  ): Promise<z.output<S>> {
    let answer: WebAPICallResult;
    try {
      answer = await method(this.#clientFor(scope));
    } catch (thrown) {
      const { fault, error, needed } = slackFault(thrown);
      if (error === 'already_reacted') throw new AlreadyReacted();
      if (isOperators(fault) && error !== undefined && error !== this.#refused) {
        this.log.error('slack.bridge-refused', { error, needed });
        this.#refused = error;
      }
      throw fault;
    }
    this.#refused = undefined;
    const read = shape.safeParse(answer);
    if (read.success) return read.data;
    const options = { cause: read.error, executed: 'yes' } as const;
    throw new Fault('UNKNOWN_ERROR', 'Slack answered in a form that is not understood.', options);
  }

  /** A client of Slack's for one call. It has no token, and no way out but ours, with its limits and the call's own end. */
  #clientFor(scope: CallScope): WebClient {
    const fetch: Fetch = async (path, init) => {
      const answer = await this.#backend.send({ method: 'POST', path: String(path), form: String(init?.body), scope });
      return new Response(new Uint8Array(answer.body));
    };
    return new WebClient(undefined, {
      slackApiUrl: '/',
      allowAbsoluteUrls: false,
      fetch,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logger: SILENT,
    });
  }
}

class AlreadyReacted extends Error {}

/** Without what is not given: Slack's types take no undefined. */
const given = <T extends object>(fields: T): { [K in keyof T]: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: NonNullable<T[K]>;
  };
