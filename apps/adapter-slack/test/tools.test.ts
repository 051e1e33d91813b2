import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeSource } from '@portico/contracts';
import { answering } from '@portico/testkit';
import { SlackWorld } from './slack-world.js';

let world: SlackWorld;
let incidents: string;
beforeAll(async () => {
  world = await SlackWorld.start();
  incidents = world.slack.channels['incidents']!;
});
afterAll(() => world.close());

describe('[AD-16] the tools of slack.*', () => {
  it('are the listed ones, and say what they do', async () => {
    const { tools } = await world.bus.ask(describeSource('domain.slack'), {});
    const said = ['slack.read_channel', 'slack.read_thread'];
    expect(Object.fromEntries(tools.map(({ definition, policy }) => [definition.name, policy]))).toEqual({
      list_channels: { effect: 'read', cache: { ttlSeconds: 300 } },
      read_channel: { effect: 'read', staleness: 'stale' },
      read_thread: { effect: 'read', staleness: 'stale' },
      list_users: { effect: 'read', cache: { ttlSeconds: 300 } },
      post_message: { effect: 'write', invalidates: said },
      reply_in_thread: { effect: 'write', invalidates: said },
      add_reaction: { effect: 'write', invalidates: said },
    });
  });
});

describe('[AD-16] slack.list_channels', () => {
  it('shows the public channels that the bot is in', async () => {
    const { channels, next_cursor } = await world.call('list_channels');
    expect(channels).toEqual([
      { id: incidents, name: 'incidents', topic: 'What burns', members: 3 },
      { id: world.slack.channels['deploys'], name: 'deploys', members: 3 },
    ]);
    expect(next_cursor).toBeUndefined();
    expect(world.asked).toEqual({
      method: 'conversations.list',
      form: { types: 'public_channel', exclude_archived: 'true', limit: '200' },
    });
  });

  it('finds one by its name', async () => {
    for (const name of ['deploys', '#deploys'])
      expect((await world.call('list_channels', { name })).channels).toMatchObject([{ name: 'deploys' }]);
    expect((await world.call('list_channels', { name: 'vault' })).channels).toEqual([]);
  });

  it('looks at some more pages where the first has none of them, and then says where it goes on', async () => {
    const other = { id: 'C0000000X', name: 'x', is_member: false };
    for (let page = 1; page <= 5; page++)
      world.slack.proxy.faults.push(
        answering(200, { ok: true, channels: [other], response_metadata: { next_cursor: `page${page}` } }),
      );
    const before = world.slack.methods.length;
    expect(await world.call('list_channels')).toEqual({ channels: [], next_cursor: 'page5' });
    const cursors = world.slack.proxy.requests.slice(before).map(({ body }) => new URLSearchParams(body).get('cursor'));
    expect(cursors).toEqual([null, 'page1', 'page2', 'page3', 'page4']);
    const ours = { id: 'C0000000Y', name: 'y', is_member: true, is_ext_shared: true, num_members: 4 };
    world.slack.proxy.faults.push(answering(200, { ok: true, channels: [ours, other] }));
    expect(await world.call('list_channels', { cursor: 'page5' })).toEqual({
      channels: [{ id: 'C0000000Y', name: 'y', shared: true, members: 4 }],
    });
    expect(world.asked.form['cursor']).toBe('page5');
  });
});

describe('[AD-16] slack.read_channel', () => {
  it('shows what was said, newest first, a page at a time', async () => {
    for (const text of ['one', 'two', 'three']) await world.slack.say('incidents', text);
    const texts: string[] = [];
    let cursor: string | undefined;
    do {
      const page: { messages: { text: string }[]; next_cursor?: string } = await world.call('read_channel', {
        channel: incidents,
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page.messages.length).toBeLessThanOrEqual(2);
      texts.push(...page.messages.map(({ text }) => text));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(texts.slice(0, 3)).toEqual(['three', 'two', 'one']);
  });

  it('says who said it, what hangs on it, and who reacted', async () => {
    const ts = await world.slack.say('incidents', 'fire');
    await world.slack.say('incidents', 'where?', ts);
    await world.slack.person.reactions.add({ channel: incidents, timestamp: ts, name: 'eyes' });
    const { messages } = await world.call('read_channel', { channel: incidents, limit: 1 });
    expect(messages).toEqual([
      { ts, user: world.slack.personId, text: 'fire', replies: 1, reactions: [{ name: 'eyes', count: 1 }] },
    ]);
  });

  it('chooses by time', async () => {
    await world.call('read_channel', { channel: incidents, after: '1764576000.000100', before: '1764577000.000000' });
    expect(world.asked).toEqual({
      method: 'conversations.history',
      form: { channel: incidents, oldest: '1764576000.000100', latest: '1764577000.000000', limit: '30' },
    });
  });

  it('shows what an app said: its name, and its words where they are in attachments alone', async () => {
    const alert = {
      ts: '1764576000.000100',
      bot_profile: { name: 'Grafana' },
      subtype: 'bot_message',
      text: '',
      attachments: [{ fallback: 'Disk is full' }, { text: 'on db-1', fallback: 'x' }],
      edited: { user: 'U1', ts: '1' },
      files: [{ name: 'graph.png', url_private: 'https://files.example/secret' }],
    };
    world.slack.proxy.faults.push(answering(200, { ok: true, messages: [alert] }));
    expect(await world.call('read_channel', { channel: incidents })).toEqual({
      messages: [
        {
          ts: alert.ts,
          bot: 'Grafana',
          kind: 'bot_message',
          text: 'Disk is full\non db-1',
          edited: true,
          files: ['graph.png'],
        },
      ],
    });
  });

  it('shows a long text in pieces that make the whole', async () => {
    const whole = 'x'.repeat(4_000) + 'y'.repeat(4_000) + 'z';
    const ts = await world.slack.say('incidents', whole);
    const { messages } = await world.call('read_channel', { channel: incidents, limit: 1 });
    expect(messages[0].text).toBe(
      `${'x'.repeat(4_000)}\n[cut: characters 0 to 4000 of 8001. slack.read_thread with this ts as thread_ts, limit 1 and text_from 4000 shows what comes next]`,
    );
    const piece = async (text_from: number) =>
      (await world.call('read_thread', { channel: incidents, thread_ts: ts, limit: 1, text_from })).messages[0].text;
    expect(await piece(4_000)).toMatch(/^y{4000}\n\[cut: characters 4000 to 8000 of 8001\./);
    expect(await piece(8_000)).toBe('z');
  });
});

describe('[AD-16] slack.read_thread', () => {
  it('shows a message and its replies, oldest first', async () => {
    const ts = await world.slack.say('deploys', 'shipped');
    await world.slack.say('deploys', 'thanks', ts);
    const { messages } = await world.call('read_thread', { channel: world.slack.channels['deploys'], thread_ts: ts });
    expect(messages.map(({ text, thread_ts }: Record<string, string>) => [text, thread_ts])).toEqual([
      ['shipped', undefined],
      ['thanks', ts],
    ]);
  });

  it('goes on by its cursor', async () => {
    const page = { ok: true, messages: [], response_metadata: { next_cursor: 'bmV4dA==' } };
    world.slack.proxy.faults.push(answering(200, page));
    const thread = { channel: incidents, thread_ts: '1764576000.000100', limit: 5 };
    expect(await world.call('read_thread', thread)).toEqual({ messages: [], next_cursor: 'bmV4dA==' });
    await world.call('read_thread', { ...thread, cursor: 'bmV4dA==' });
    expect(world.asked).toEqual({
      method: 'conversations.replies',
      form: { channel: incidents, ts: '1764576000.000100', limit: '5', cursor: 'bmV4dA==' },
    });
  });
});

describe('[AD-16] slack.list_users', () => {
  it('shows people by their names, a page at a time, and nothing by which they are reached', async () => {
    const page = await world.call('list_users', { limit: 2 });
    expect(page.users).toHaveLength(2);
    const rest = await world.call('list_users', { cursor: page.next_cursor });
    expect(rest).toEqual({
      users: [{ id: world.slack.personId, name: 'ann', real_name: 'Ann', display_name: 'ann' }],
    });
    expect(JSON.stringify([page, rest])).not.toMatch(/@private|email|phone/);
  });

  it('leaves out those who left', async () => {
    const members = [
      { id: 'U1', name: 'old', deleted: true },
      { id: 'U2', name: 'robot', is_bot: true, profile: { title: 'Helps' } },
    ];
    world.slack.proxy.faults.push(answering(200, { ok: true, members }));
    expect(await world.call('list_users')).toEqual({ users: [{ id: 'U2', name: 'robot', title: 'Helps', bot: true }] });
  });
});

describe('[AD-16] saying something', () => {
  it('posts a message, and a reply in its thread', async () => {
    const { channel, ts } = await world.call('post_message', { channel: incidents, text: 'It burns *here*.' });
    expect([channel, (await world.slack.texts('incidents'))[0]]).toEqual([incidents, 'It burns *here*.']);
    await world.call('reply_in_thread', { channel: incidents, thread_ts: ts, text: 'Out again.' });
    expect(world.asked.form).toMatchObject({ thread_ts: ts });
    expect(world.asked.form).not.toHaveProperty('reply_broadcast');
    await world.call('reply_in_thread', { channel: incidents, thread_ts: ts, text: 'All clear.', broadcast: true });
    expect(world.asked.form).toMatchObject({ reply_broadcast: 'true' });
    const { messages } = await world.call('read_thread', { channel: incidents, thread_ts: ts });
    expect(messages.map(({ text }: { text: string }) => text)).toEqual([
      'It burns *here*.',
      'Out again.',
      'All clear.',
    ]);
  });

  it('calls nobody but whom it mentions, and has Slack fetch no address', async () => {
    const text =
      '<!channel> <!here> <!subteam^S1> <@U1> <https://evil.example|bank> @everyone & https://x.example/?q=1';
    await world.call('post_message', { channel: incidents, text, mention: [world.slack.personId] });
    expect(world.asked).toEqual({
      method: 'chat.postMessage',
      form: {
        channel: incidents,
        text: `<@${world.slack.personId}> &lt;!channel&gt; &lt;!here&gt; &lt;!subteam^S1&gt; &lt;@U1&gt; &lt;https://evil.example|bank&gt; @everyone &amp; https://x.example/?q=1`,
        unfurl_links: 'false',
        unfurl_media: 'false',
        link_names: 'false',
        parse: 'none',
      },
    });
    await world.call('reply_in_thread', { channel: incidents, thread_ts: '1764576000.000100', text: '<!channel>' });
    expect(world.asked.form).toMatchObject({ text: '&lt;!channel&gt;', parse: 'none', link_names: 'false' });
  });

  it('adds a reaction, which is there once', async () => {
    const ts = await world.slack.say('incidents', 'look');
    const reaction = { channel: incidents, ts, emoji: 'eyes' };
    expect(await world.call('add_reaction', reaction)).toEqual({ added: true });
    expect(await world.call('add_reaction', reaction)).toEqual({ added: false });
    const { messages } = await world.call('read_channel', { channel: incidents, limit: 1 });
    expect(messages[0].reactions).toEqual([{ name: 'eyes', count: 1 }]);
  });
});

describe('[AD-16] arguments', () => {
  it.each([
    ['list_channels', { name: '' }],
    ['list_channels', { cursor: 'a b' }],
    ['read_channel', {}],
    ['read_channel', { channel: 'incidents' }],
    ['read_channel', { channel: 'U0123456789' }],
    ['read_channel', { channel: 'C1\n' }],
    ['read_channel', { limit: 101 }],
    ['read_channel', { after: 'yesterday' }],
    ['read_channel', { cursor: 'x'.repeat(501) }],
    ['read_thread', {}],
    ['read_thread', { thread_ts: '1764576000' }],
    ['list_users', { limit: 0 }],
    ['post_message', { text: '' }],
    ['post_message', { text: ' \n' }],
    ['post_message', { text: 'half a \ud83d' }],
    ['post_message', { text: 'x'.repeat(4_001) }],
    ['post_message', { text: 'x', mention: ['channel'] }],
    ['post_message', { text: 'x', mention: ['U1> <!channel'] }],
    ['post_message', { text: 'x', blocks: [] }],
    ['post_message', { text: 'x', unfurl_links: true }],
    ['reply_in_thread', { text: 'x' }],
    ['add_reaction', { ts: '1764576000.000100', emoji: ':eyes:' }],
  ])('of %s are refused where they are %j', async (tool, args) => {
    const before = world.slack.methods.length;
    const channel = tool.startsWith('list_') ? {} : Object.keys(args).length > 0 && { channel: incidents };
    const fault = await world.fault(tool, { ...channel, ...args });
    expect(fault).toMatchObject({ code: 'INVALID_ARGUMENTS', executed: 'no' });
    expect(world.slack.methods).toHaveLength(before);
  });
});
