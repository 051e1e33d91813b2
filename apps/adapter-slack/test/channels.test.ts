import { afterEach, describe, expect, it } from '@jest/globals';
import { answering, refusing } from '@portico/testkit';
import { SlackWorld } from './slack-world.js';

let world: SlackWorld;
const startWith = async (channels: string) => {
  world = await SlackWorld.start({ SLACK_CHANNELS: channels });
};
afterEach(() => world.close());

const idOf = (name: string) => world.slack.channels[name]!;
const TS = '1764576000.000100';
const TOOLS: [tool: string, args: Record<string, unknown>][] = [
  ['read_channel', {}],
  ['read_thread', { thread_ts: TS }],
  ['post_message', { text: 'x' }],
  ['reply_in_thread', { text: 'x', thread_ts: TS }],
  ['add_reaction', { ts: TS, emoji: 'eyes' }],
];
/** No tool does anything in the channel; gives the methods that Slack was asked for all the same. */
const expectClosed = async (channel: string) => {
  const before = world.slack.methods.length;
  for (const [tool, args] of TOOLS) {
    const fault = await world.fault(tool, { channel, ...args });
    expect([tool, fault.toRecord()]).toMatchObject([tool, { code: 'PERMISSION_DENIED', executed: 'no' }]);
  }
  return [...new Set(world.slack.methods.slice(before))];
};
const listed = async () =>
  (await world.call('list_channels')).channels.map(({ name }: { name: string }) => name) as string[];

describe('[AD-16] without a list of channels', () => {
  it('those are open that are public and have the bot in them', async () => {
    await startWith('');
    expect(await listed()).toEqual(['incidents', 'deploys']);
    for (const name of ['vault', 'elsewhere']) expect(await expectClosed(idOf(name))).toEqual(['conversations.info']);
    await world.call('post_message', { channel: idOf('deploys'), text: 'x' });
    const { channel } = await world.slack.person.conversations.open({ users: world.slack.botId });
    expect(await expectClosed(String(channel?.id))).toEqual(['conversations.info']);
    expect(await world.slack.texts('vault')).toEqual([]);
  });

  it('it is looked at once in a while whether one is', async () => {
    await startWith('');
    for (let time = 0; time < 3; time++) await world.call('read_channel', { channel: idOf('deploys') });
    const looks = () => world.slack.methods.filter((method) => method === 'conversations.info');
    expect(looks()).toHaveLength(1);
    const { now } = performance;
    performance.now = () => now.call(performance) + 61_000;
    try {
      await world.call('read_channel', { channel: idOf('deploys') });
    } finally {
      performance.now = now;
    }
    expect(looks()).toHaveLength(2);
  });

  it.each(['is_private', 'is_im', 'is_mpim'])('one that %s is closed, whoever is in it', async (kind) => {
    await startWith('');
    world.slack.proxy.faults.push(
      answering(200, { ok: true, channel: { id: 'D0123456789', is_member: true, [kind]: true } }),
    );
    expect(await world.fault('post_message', { channel: 'D0123456789', text: 'x' })).toMatchObject({
      code: 'PERMISSION_DENIED',
      executed: 'no',
    });
    expect(world.slack.methods).toEqual(['conversations.info']);
  });

  it('one is closed while Slack does not say what it is', async () => {
    await startWith('');
    world.slack.proxy.faults.push(refusing('channel_not_found'), refusing('internal_error'));
    const post = { channel: idOf('deploys'), text: 'x' };
    expect(await world.fault('post_message', post)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await world.fault('post_message', post)).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(world.slack.methods).not.toContain('chat.postMessage');
  });
});

describe('[AD-16] with a list of channels', () => {
  it('those are open whose names are on it, private ones too, and no other', async () => {
    await startWith('#Deploys, vault');
    expect((await listed()).sort()).toEqual(['deploys', 'vault']);
    const { channels } = await world.call('list_channels', { name: 'vault' });
    expect(channels).toMatchObject([{ id: idOf('vault'), private: true }]);
    await world.call('post_message', { channel: idOf('vault'), text: 'quietly' });
    expect(await world.slack.texts('vault')).toEqual(['quietly']);
    expect(await expectClosed(idOf('incidents'))).toEqual(['conversations.info']);
  });

  it('those are open whose ids are on it, and Slack does not hear of any other', async () => {
    await startWith('C0123456789');
    expect(await listed()).toEqual([]);
    expect(await expectClosed(idOf('incidents'))).toEqual([]);
    expect(await expectClosed(idOf('vault'))).toEqual([]);
    // One that is on it is Slack's to find.
    expect(await world.fault('read_channel', { channel: 'C0123456789' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(world.slack.methods.at(-1)).toBe('conversations.history');
  });
});
