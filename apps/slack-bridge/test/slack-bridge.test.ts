import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import * as contracts from '@portico/contracts';
import type { Call } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig, startSlackBridge } from '@portico/slack-bridge';
import { SlackDouble } from '@portico/testkit';

const lines: string[] = [];
let slack: SlackDouble;
let bus: Bus;
/** Subjects that are served on the bus. */
const subjects: string[] = [];
let bridge: { close(): Promise<void> };
beforeAll(async () => {
  slack = await SlackDouble.start();
  bus = memoryBus();
  const watched: Bus = {
    maxPayload: bus.maxPayload,
    ask: (...given) => bus.ask(...given),
    tell: (...given) => bus.tell(...given),
    listen: (...given) => bus.listen(...given),
    close: () => bus.close(),
    serve: (call, ...given) => {
      subjects.push(call.subject);
      return bus.serve(call, ...given);
    },
  };
  const env = { SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: SlackDouble.TOKEN };
  const write = (line: string) => void lines.push(line);
  bridge = await startSlackBridge(watched, readConfig(env)!, createLog({ name: 'test', level: 'debug', write }));
});
afterAll(async () => {
  await bridge.close();
  await bus.close();
  await slack.close();
  expect(lines.join('')).not.toContain(SlackDouble.TOKEN);
});

const ask = (call: Call, request: unknown) => bus.ask(call, request, { deadlineMs: 10_000 });

describe('[AD-16] slack-bridge', () => {
  it('serves the listed operations, whether Slack is well, and nothing else', () => {
    const operations = ['list-channels', 'read-channel', 'read-thread', 'list-users', 'post-message'];
    expect(subjects.toSorted()).toEqual(
      [...operations, 'reply-in-thread', 'add-reaction', 'check'].map((name) => `slack-bridge.${name}`).toSorted(),
    );
  });

  it('asks Slack for nothing but what they need', async () => {
    const channel = slack.channels['incidents']!;
    const ts = await slack.say('incidents', 'x');
    const page = { limit: 10 };
    await ask(contracts.listSlackChannels, {});
    await ask(contracts.readSlackChannel, { channel, ...page });
    await ask(contracts.readSlackThread, { channel, threadTs: ts, ...page });
    await ask(contracts.listSlackUsers, page);
    await ask(contracts.postSlackMessage, { channel, text: 'x' });
    await ask(contracts.replyInSlackThread, { channel, text: 'x', threadTs: ts });
    await ask(contracts.addSlackReaction, { channel, ts, emoji: 'eyes' });
    await ask(contracts.checkSlack, {});
    expect(slack.methods).toEqual([
      ...['conversations.list', 'conversations.info', 'conversations.history', 'conversations.replies', 'users.list'],
      ...['chat.postMessage', 'chat.postMessage', 'reactions.add', 'auth.test'],
    ]);
    expect(slack.proxy.requests.filter(({ url }) => url.includes('search'))).toEqual([]);
  });

  it.each([
    [contracts.readSlackChannel, { channel: '../users.list', limit: 1 }],
    [contracts.readSlackChannel, { channel: 'C0123456789', limit: 1_000 }],
    [contracts.postSlackMessage, { channel: 'U0123456789', text: 'x' }],
    [contracts.postSlackMessage, { channel: 'C0123456789', text: 'x'.repeat(4_001) }],
    [contracts.postSlackMessage, { channel: 'C0123456789', text: '\ud83d' }],
    [contracts.postSlackMessage, { channel: 'C0123456789', text: 'x', mention: ['U1>\n<!channel'] }],
    [contracts.addSlackReaction, { channel: 'C0123456789', ts: '1', emoji: 'eyes' }],
  ])('checks what it is asked itself, whoever asks: %#', async (call, request) => {
    const before = slack.methods.length;
    await expect(ask(call, request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(slack.methods).toHaveLength(before);
  });

  it('lets go of what still runs at Slack when it stops', async () => {
    const elsewhere = memoryBus();
    const env = { SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: SlackDouble.TOKEN };
    const other = await startSlackBridge(elsewhere, readConfig(env)!, createLog({ name: 'test', level: 'silent' }));
    const arrived = slack.proxy.arrived();
    slack.proxy.faults.push(() => {});
    const asked = elsewhere.ask(contracts.listSlackUsers, { limit: 1 }, { deadlineMs: 20_000 });
    const refused = expect(asked).rejects.toMatchObject({ executed: 'unknown' });
    await arrived;
    await Promise.all([other.close(), refused]);
    await elsewhere.close();
  });
});
