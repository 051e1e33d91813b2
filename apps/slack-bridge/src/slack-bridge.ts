import {
  addSlackReaction,
  checkSlack,
  listSlackChannels,
  listSlackUsers,
  postSlackMessage,
  readSlackChannel,
  readSlackThread,
  replyInSlackThread,
} from '@portico/contracts';
import type { Call, ReplyOf, RequestOf } from '@portico/contracts';
import type { Bus, Subscription } from '@portico/bus';
import { scopeOf } from '@portico/domain-kit';
import type { CallScope } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import type { z } from 'zod';
import { AllowedChannels } from './allowed-channels.js';
import { SlackClient } from './client.js';
import type { SlackBridgeConfig } from './config.js';
import { channelOf, cursorOf, messageOf, userOf } from './replies.js';
import { writtenText } from './written-text.js';

/** Channels that Slack is asked for at once, and how often for one answer, where none of them is open. */
const CHANNEL_PAGE = 200;
const MOST_PAGES = 5;

/** Holds the bot token, and answers for Slack on the bus: what `slack-calls` of the contracts names, and nothing else. */
export class SlackBridge {
  private readonly slack: SlackClient;
  private readonly channels: AllowedChannels;
  private served: readonly Subscription[] = [];

  constructor(
    private readonly bus: Bus,
    config: SlackBridgeConfig,
    private readonly log: Log,
  ) {
    this.slack = new SlackClient(config, log);
    this.channels = new AllowedChannels(this.slack, config.channels);
  }

  async onApplicationBootstrap(): Promise<void> {
    this.served = await Promise.all([
      this.serve(listSlackChannels, (request, scope) => this.listChannels(request, scope)),
      this.serveIn(readSlackChannel, async ({ channel, after, before, ...page }, scope) =>
        messagePage(await this.slack.history(channel, { oldest: after, latest: before }, page, scope)),
      ),
      this.serveIn(readSlackThread, async ({ channel, threadTs, ...page }, scope) =>
        messagePage(await this.slack.replies(channel, threadTs, page, scope)),
      ),
      this.serve(listSlackUsers, async (page, scope) => {
        const found = await this.slack.users(page, scope);
        return { users: found.members.filter(({ deleted }) => !deleted).map(userOf), nextCursor: cursorOf(found) };
      }),
      this.serveIn(postSlackMessage, async ({ channel, text, mention }, scope) => ({
        channel,
        ts: await this.slack.post(channel, writtenText(text, mention), undefined, scope),
      })),
      this.serveIn(replyInSlackThread, async ({ channel, text, mention, threadTs, broadcast = false }, scope) => ({
        channel,
        ts: await this.slack.post(channel, writtenText(text, mention), { ts: threadTs, broadcast }, scope),
      })),
      this.serveIn(addSlackReaction, async ({ channel, ts, emoji }, scope) => ({
        added: await this.slack.react(channel, ts, emoji, scope),
      })),
      this.serve(checkSlack, async (_request, scope) => {
        await this.slack.check(scope);
        return {};
      }),
    ]);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.served.map((subscription) => subscription.close()));
    await this.slack.close();
  }

  /** A page of those that are open; where Slack's pages have none, some more of them are looked at. */
  private async listChannels(
    { cursor, name }: RequestOf<typeof listSlackChannels>,
    scope: CallScope,
  ): Promise<ReplyOf<typeof listSlackChannels>> {
    let nextCursor = cursor;
    for (let page = 0; page < MOST_PAGES; page++) {
      const found = await this.slack.channels(this.channels.types, { limit: CHANNEL_PAGE, cursor: nextCursor }, scope);
      const open = found.channels.filter(
        (one) => this.channels.permits(one) && (name === undefined || one.name === name),
      );
      nextCursor = cursorOf(found);
      if (open.length > 0 || nextCursor === undefined) return { channels: open.map(channelOf), nextCursor };
    }
    return { channels: [], nextCursor };
  }

  private serve<C extends Call>(
    call: C,
    answer: (request: z.output<C['request']>, scope: CallScope) => Promise<z.input<C['reply']>>,
  ): Promise<Subscription> {
    return this.bus.serve(call, (request, incoming) => answer(request, scopeOf(incoming, this.log)));
  }

  /** For what happens in one channel: only in one that is open. */
  private serveIn<C extends Call<z.ZodType<{ channel: string }>>>(
    call: C,
    answer: (request: z.output<C['request']>, scope: CallScope) => Promise<z.input<C['reply']>>,
  ): Promise<Subscription> {
    return this.serve(call, async (request, scope) => {
      await this.channels.check(request.channel, scope);
      return answer(request, scope);
    });
  }
}

const messagePage = (found: Awaited<ReturnType<SlackClient['history']>>) => ({
  messages: found.messages.map(messageOf),
  nextCursor: cursorOf(found),
});
