import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sourceHealth } from '@portico/contracts';
import { SlackDouble, answering, cutOff, endless, refusing } from '@portico/testkit';
import { SlackWorld } from './slack-world.js';

const folder = mkdtempSync(join(tmpdir(), 'portico-slack-'));
const file = join(folder, 'token');

let world: SlackWorld;
let saying: { channel: string; text: string };
beforeAll(async () => {
  writeFileSync(file, `${SlackDouble.TOKEN}\n`);
  world = await SlackWorld.start({ SLACK_BOT_TOKEN_FILE: file });
  saying = { channel: world.slack.channels['incidents']!, text: 'SAID-IN-CONFIDENCE' };
  await world.call('read_channel', { channel: saying.channel });
});
afterEach(() => void (world.slack.proxy.faults.length = 0));
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
  const everything = JSON.stringify(world.seen) + world.lines.join('');
  expect(everything).toContain('slack.bridge-refused');
  for (const secret of [
    SlackDouble.TOKEN,
    SlackDouble.NEW_TOKEN,
    ...[folder, saying.text, 'db.internal', '/srv/slack', world.slack.proxy.url],
  ])
    expect(everything).not.toContain(secret);
});

const internals = { error: 'at db.internal, /srv/slack/app.hack:42' };
const logged = (event: string) => world.lines.filter((line) => line.includes(event));

describe('[AD-16] what Slack refuses', () => {
  it.each([
    ['channel_not_found', 'NOT_FOUND', 'no'],
    ['message_not_found', 'NOT_FOUND', 'no'],
    ['thread_not_found', 'NOT_FOUND', 'no'],
    ['not_in_channel', 'PERMISSION_DENIED', 'no'],
    ['restricted_action', 'PERMISSION_DENIED', 'no'],
    ['missing_scope', 'PERMISSION_DENIED', 'no'],
    ['is_archived', 'CONFLICT', 'no'],
    ['too_many_reactions', 'CONFLICT', 'no'],
    ['msg_too_long', 'INVALID_ARGUMENTS', 'no'],
    ['no_text', 'INVALID_ARGUMENTS', 'no'],
    ['invalid_name', 'INVALID_ARGUMENTS', 'no'],
    ['invalid_cursor', 'INVALID_ARGUMENTS', 'no'],
    ['not_authed', 'UNAUTHENTICATED', 'no'],
    ['invalid_auth', 'UNAUTHENTICATED', 'no'],
    ['account_inactive', 'UNAUTHENTICATED', 'no'],
    ['token_revoked', 'UNAUTHENTICATED', 'no'],
    ['ratelimited', 'RATE_LIMITED', 'no'],
    ['message_limit_exceeded', 'RATE_LIMITED', 'no'],
    ['fatal_error', 'BACKEND_UNAVAILABLE', 'unknown'],
    ['internal_error', 'BACKEND_UNAVAILABLE', 'unknown'],
    ['service_unavailable', 'BACKEND_UNAVAILABLE', 'unknown'],
    ['something_new', 'UNKNOWN_ERROR', 'unknown'],
    ['constructor', 'UNKNOWN_ERROR', 'unknown'],
  ])('%s is %s, in a sentence of ours', async (error, code, executed) => {
    world.slack.proxy.faults.push(refusing(error, { response_metadata: { messages: ['[ERROR] at db.internal'] } }));
    const fault = await world.fault('post_message', saying);
    expect(fault).toMatchObject({ code, executed, message: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(fault.message).not.toContain(error);
    if (code === 'RATE_LIMITED') expect(fault.retryAfterMs).toBe(60_000);
  });

  it('tells the operator once what is to be mended, and again when it had been', async () => {
    await world.call('list_users');
    const scope = refusing('missing_scope', { needed: 'users:read', provided: 'chat:write' });
    const before = logged('slack.bridge-refused').length;
    world.slack.proxy.faults.push(scope, scope, scope);
    for (let time = 0; time < 3; time++) await world.fault('list_users');
    expect(logged('slack.bridge-refused').slice(before)).toEqual([expect.stringContaining('users:read')]);
    await world.call('list_users');
    world.slack.proxy.faults.push(scope, refusing('is_archived'));
    await world.fault('list_users');
    await world.fault('list_users');
    expect(logged('slack.bridge-refused')).toHaveLength(before + 2);
  });
});

describe('[AD-17] 429', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '99999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, 60_000],
    [{}, 60_000],
  ])('with %j is RATE_LIMITED with the wait, and Slack is not asked again', async (headers, retryAfterMs) => {
    for (const [tool, args] of [
      ['list_users', {}],
      ['post_message', saying],
      ['reply_in_thread', { ...saying, thread_ts: '1764576000.000100' }],
      ['add_reaction', { channel: saying.channel, ts: '1764576000.000100', emoji: 'eyes' }],
    ] as const) {
      const before = world.slack.methods.length;
      world.slack.proxy.faults.push(answering(429, { ok: false, error: 'ratelimited' }, headers));
      expect(await world.fault(tool, args)).toMatchObject({ code: 'RATE_LIMITED', executed: 'no', retryAfterMs });
      expect(world.slack.methods).toHaveLength(before + 1);
    }
  });
});

describe('[AD-17] posting', () => {
  it('is never repeated, and says that it may have been done, whatever becomes of the answer', async () => {
    const elsewhere = (status: number) =>
      answering(status, {}, { location: 'http://localhost:9/api/chat.postMessage' });
    for (const [fault, code, executed] of [
      [answering(500, internals), 'UNKNOWN_ERROR', 'unknown'],
      [answering(502, internals), 'BACKEND_UNAVAILABLE', 'unknown'],
      [answering(503, internals, { 'retry-after': '0' }), 'BACKEND_UNAVAILABLE', 'unknown'],
      [answering(504, internals), 'BACKEND_UNAVAILABLE', 'unknown'],
      [cutOff, 'BACKEND_UNAVAILABLE', 'unknown'],
      [endless, 'PAYLOAD_TOO_LARGE', 'unknown'],
      [elsewhere(302), 'UNKNOWN_ERROR', 'unknown'],
      [elsewhere(308), 'UNKNOWN_ERROR', 'unknown'],
      [answering(200, 'garbage'), 'UNKNOWN_ERROR', 'unknown'],
      [refusing('fatal_error'), 'BACKEND_UNAVAILABLE', 'unknown'],
      [answering(200, { ok: true }), 'UNKNOWN_ERROR', 'yes'],
    ] as const) {
      for (const tool of ['post_message', 'reply_in_thread']) {
        const before = world.slack.methods.length;
        world.slack.proxy.faults.push(fault);
        const thread = tool === 'reply_in_thread' && { thread_ts: '1764576000.000100' };
        expect(await world.fault(tool, { ...saying, ...thread })).toMatchObject({ code, executed });
        expect(world.slack.methods.slice(before)).toEqual(['chat.postMessage']);
      }
    }
  });

  it('that Slack did before the answer was lost is there once', async () => {
    const text = 'only once';
    world.slack.proxy.faults.push(async (response, real) => {
      await real();
      response.destroy();
    });
    expect(await world.fault('post_message', { ...saying, text })).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'unknown',
    });
    expect((await world.slack.texts('incidents')).filter((said) => said === text)).toHaveLength(1);
  });

  it('without an answer is TIMEOUT at the deadline, and CANCELLED when the caller goes; the connection ends with it', async () => {
    for (const code of ['TIMEOUT', 'CANCELLED']) {
      const ending = new AbortController();
      const arrived = world.slack.proxy.arrived();
      let closed: Promise<unknown> | undefined;
      world.slack.proxy.faults.push((response) => {
        closed = new Promise((resolve) => response.once('close', resolve));
      });
      const deadlineMs = code === 'TIMEOUT' ? 300 : 20_000;
      const fault = world.fault('post_message', saying, { deadlineMs, signal: ending.signal });
      await arrived;
      if (code === 'CANCELLED') ending.abort();
      expect(await fault).toMatchObject({ code, executed: 'unknown' });
      const told = performance.now();
      await closed;
      // With it: not when Slack would have been given up anyway.
      expect(performance.now() - told).toBeLessThan(10_000);
    }
  });
});

describe('[AD-16] answers of Slack', () => {
  it.each(['', 'null', '[]', '{}', '"x"', '<html>at db.internal</html>', '{"ok":true,"members":[{}]}', '{"ok":true}'])(
    'like %j are UNKNOWN_ERROR',
    async (body) => {
      world.slack.proxy.faults.push((response) => void response.end(body));
      expect(await world.fault('list_users')).toMatchObject({
        code: 'UNKNOWN_ERROR',
        message: 'Slack answered in a form that is not understood.',
      });
    },
  );

  it('that call themselves packed are not unpacked', async () => {
    world.slack.proxy.faults.push(answering(200, { ok: true, members: [] }, { 'content-type': 'application/gzip' }));
    expect(await world.call('list_users')).toEqual({ users: [] });
  });

  it('lead nowhere else, and nobody else is shown the token', async () => {
    let asked = 0;
    const other = createServer((_request, response) => (asked++, void response.end('{"ok":true,"members":[]}')));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const location = `http://localhost:${(other.address() as AddressInfo).port}/api/users.list`;
    for (const status of [301, 302, 303, 307, 308]) {
      world.slack.proxy.faults.push(answering(status, {}, { location }));
      expect(await world.fault('list_users')).toMatchObject({ code: 'UNKNOWN_ERROR' });
    }
    expect(asked).toBe(0);
    await new Promise((resolve) => other.close(resolve));
  });

  it('say its health', async () => {
    const health = () => world.bus.ask(sourceHealth('domain.slack'), {});
    expect(await health()).toEqual({ state: 'up' });
    expect(world.slack.methods.at(-1)).toBe('auth.test');
    world.slack.proxy.faults.push(refusing('token_revoked'));
    expect(await health()).toEqual({ state: 'down', detail: 'UNAUTHENTICATED' });
    world.slack.proxy.faults.push(answering(502, internals));
    expect(await health()).toEqual({ state: 'down', detail: 'BACKEND_UNAVAILABLE' });
  });
});

describe('[AD-16] the token of the bridge', () => {
  it('is read again when its file changes, and goes to Slack as a header alone', async () => {
    await world.call('list_users');
    world.slack.tokens.clear();
    world.slack.tokens.add(SlackDouble.NEW_TOKEN);
    expect(await world.fault('list_users')).toMatchObject({ code: 'UNAUTHENTICATED' });
    writeFileSync(file, ` ${SlackDouble.NEW_TOKEN}\n`);
    await world.call('post_message', { ...saying, text: 'rotated' });
    const { headers, url, body } = world.slack.proxy.requests.at(-1)!;
    expect(headers.authorization).toBe(`Bearer ${SlackDouble.NEW_TOKEN}`);
    expect(url + body).not.toContain('xox');
  });

  it('goes with the ids of the call', async () => {
    const context = { correlationId: 'c-1', taskId: 't-1', principal: { tenant: 'acme', subject: 'ann' } };
    await world.call('list_users', {}, { context });
    expect(world.slack.proxy.requests.at(-1)?.headers).toMatchObject({ 'x-correlation-id': 'c-1', 'x-task-id': 't-1' });
  });
});
