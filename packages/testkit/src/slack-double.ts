import type { WebClient } from '@slack/web-api';
import type { Emulator } from 'emulate';
import { FaultyProxy, answering, freePort } from './faulty-proxy.js';
import type { ProxyFault } from './faulty-proxy.js';

const BOT = 'xoxb-emulated-bot';
const PERSON = 'xoxp-emulated-person';

/**
 * A Slack with the public channels `incidents` and `deploys`, which the bot is in, `elsewhere`, which it is not in, and the
 * private channel `vault`, which it is in; and in front of it a proxy by which things go wrong.
 */
export class SlackDouble {
  static readonly TOKEN = 'xoxb-SLACKTOKEN-000000000001';
  static readonly NEW_TOKEN = 'xoxb-SLACKTOKEN-000000000002';

  /** The tokens that are taken: the emulator takes any. */
  readonly tokens = new Set([SlackDouble.TOKEN]);
  /** Ids by name. */
  readonly channels: Record<string, string> = {};

  private constructor(
    private readonly emulator: Emulator,
    readonly proxy: FaultyProxy,
    /** As a person of the workspace, past the proxy. */
    readonly person: WebClient,
    readonly botId: string,
    readonly personId: string,
  ) {}

  static async start(): Promise<SlackDouble> {
    const [{ createEmulator }, { WebClient }] = await Promise.all([import('emulate'), import('@slack/web-api')]);
    const tokens = [
      { token: BOT, user: 'portico' },
      { token: PERSON, user: 'ann' },
    ];
    const users = [{ name: 'portico' }, { name: 'ann', real_name: 'Ann', email: 'ann@private.example' }];
    const channels = [{ name: 'incidents', topic: 'What burns' }, { name: 'deploys' }];
    const port = await freePort();
    const emulator = await createEmulator({ service: 'slack', port, seed: { slack: { users, channels, tokens } } });
    const as = (token: string) => new WebClient(token, { slackApiUrl: `${emulator.url}/api/` });
    const [bot, person] = [as(BOT), as(PERSON)];
    const proxy = await FaultyProxy.start({
      target: emulator.url,
      forwarded: ({ headers }) => ({
        'content-type': String(headers['content-type']),
        authorization: `Bearer ${BOT}`,
      }),
      refuses: ({ headers }) =>
        double.tokens.has(headers.authorization?.replace(/^Bearer /, '') ?? '') ? undefined : refusing('invalid_auth'),
    });
    const id = async (client: WebClient) => String((await client.auth.test()).user_id);
    const double = new SlackDouble(emulator, proxy, person, await id(bot), await id(person));
    await person.conversations.create({ name: 'elsewhere' });
    const vault = await person.conversations.create({ name: 'vault', is_private: true });
    await person.conversations.invite({ channel: String(vault.channel?.id), users: double.botId });
    for (const { name, id } of (await person.conversations.list({ types: 'public_channel,private_channel' }))
      .channels ?? [])
      double.channels[String(name)] = String(id);
    return double;
  }

  get apiUrl(): string {
    return `${this.proxy.url}/api`;
  }

  /** Says something as a person does; in a thread when its `ts` is given. Gives the `ts` of it. */
  async say(channel: string, text: string, thread?: string): Promise<string> {
    const said = await this.person.chat.postMessage({
      channel: this.channels[channel] ?? '',
      text,
      ...(thread !== undefined && { thread_ts: thread }),
    });
    return String(said.ts);
  }

  /** The texts of a channel as people find them, newest first. */
  async texts(channel: string): Promise<string[]> {
    const { messages } = await this.person.conversations.history({ channel: this.channels[channel] ?? '' });
    return (messages ?? []).map(({ text }) => String(text));
  }

  /** Methods that were asked for through the proxy, in turn. */
  get methods(): string[] {
    return this.proxy.requests.map(({ url }) => url.replace('/api/', ''));
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.emulator.close();
  }
}

/** What Slack says instead of doing what it was asked: with status 200. */
export const refusing = (error: string, more: Record<string, unknown> = {}): ProxyFault =>
  answering(200, { ok: false, error, ...more });
