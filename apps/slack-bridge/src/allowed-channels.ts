import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import type { SlackClient } from './client.js';
import type { Channel } from './replies.js';

/** How long a channel that was open is taken to be, in milliseconds: it may be renamed, or the bot leave it. */
const KNOWN_MS = 60_000;
const MOST_KNOWN = 1_000;

const isId = (text: string): boolean => /^[CGD][A-Z0-9]{7,}$/.test(text);

/** Which channels are open to agents: those on the list, or without one the public channels that the bot is in. */
export class AllowedChannels {
  readonly #ids: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #openUntil = new Map<string, number>();

  /** `listed` has ids and names; empty: there is no list. */
  constructor(
    private readonly slack: SlackClient,
    listed: readonly string[],
  ) {
    this.#ids = new Set(listed.filter(isId));
    this.#names = new Set(listed.filter((one) => !isId(one)).map((name) => name.replace(/^#/, '').toLowerCase()));
  }

  /** Private channels are looked for only where some may be listed. */
  get types(): string {
    return this.#hasList ? 'public_channel,private_channel' : 'public_channel';
  }

  permits(channel: Channel): boolean {
    if (this.#hasList) return this.#ids.has(channel.id) || this.#names.has(channel.name?.toLowerCase() ?? '');
    const isPublic = !channel.is_private && !channel.is_im && !channel.is_mpim;
    return isPublic && channel.is_member === true;
  }

  /** Throws PERMISSION_DENIED for a channel that is not open; Slack is asked only where its name or kind decides. */
  async check(id: string, scope: CallScope): Promise<void> {
    if (this.#ids.has(id) || performance.now() < (this.#openUntil.get(id) ?? 0)) return;
    const byIdAlone = this.#hasList && this.#names.size === 0;
    if (byIdAlone || !this.permits(await this.slack.channel(id, scope)))
      throw new Fault(
        'PERMISSION_DENIED',
        'This channel is not open to agents: slack.list_channels has those that are.',
        {
          executed: 'no',
        },
      );
    if (this.#openUntil.size >= MOST_KNOWN) this.#openUntil.clear();
    this.#openUntil.set(id, performance.now() + KNOWN_MS);
  }

  get #hasList(): boolean {
    return this.#ids.size + this.#names.size > 0;
  }
}
