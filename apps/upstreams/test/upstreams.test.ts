import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { callTool, describeSource, rollCall, sourceBye, sourceChanged, sourceHello } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';
import { HeldSession } from '@portico/mcp-session';
import { startModernHttpServer } from '@portico/testkit';
import { ServersFileError, readConfig, startUpstreams } from '@portico/upstreams';
import { entryOf, opened } from './opened.js';
import { eventually, runUpstreams, silent } from './running.js';
import type { Running } from './running.js';

const { keep, fixture } = opened();

const run = async (...given: Parameters<typeof runUpstreams>): Promise<Running> => keep(await runUpstreams(...given));

describe('the servers of a file', () => {
  it('[FD-7] are started by their first use alone, so that one that never answers delays nothing', async () => {
    const mute = fixture({ mute: true });
    const good = fixture();
    const begun = performance.now();
    const running = await run({ mute: entryOf(mute), good: entryOf(good) });
    expect(performance.now() - begun).toBeLessThan(2_000);
    await delay(100);
    expect([...mute.pids(), ...good.pids()]).toEqual([]);

    const silence = running.bus
      .ask(describeSource('upstream.mute'), {}, { deadlineMs: 3_000 })
      .catch((error: unknown) => error);
    expect((await running.describe('upstream.good')).tools.length).toBeGreaterThan(0);
    expect(await running.call('upstream.good', 'echo', { a: 1 })).toMatchObject({ structuredContent: { a: 1 } });
    expect(await silence).toMatchObject({ code: 'TIMEOUT' });
  });

  it('say hello and bye, each with its own name and limits', async () => {
    const running = await run({
      'My Server': { ...entryOf(fixture()), connectTimeoutSeconds: 7 },
      off: { command: 'x', enabled: false },
    });
    const [hellos, byes]: [object[], object[]] = [[], []];
    await running.bus.listen(sourceHello, (hello) => void hellos.push(hello));
    await running.bus.listen(sourceBye, (bye) => void byes.push(bye));
    running.bus.tell(rollCall, {});
    await eventually(() =>
      expect(hellos).toMatchObject([
        { source: 'upstream.my-server', connectTimeoutMs: 7_000, configuration: expect.any(String) },
      ]),
    );
    await running.close();
    expect(byes).toMatchObject([{ source: 'upstream.my-server' }]);
  });

  it('[UP-9] are given PATH, HOME, LANG and what their entry names, and nothing else', async () => {
    const server = fixture();
    const env = { OWN: 'plain', TOKEN: 'Bearer ${env:UPSTREAM_TOKEN}', FOLDER: '{workspace}/x' };
    const running = await run(
      { a: { ...entryOf(server), env } },
      { HOME: '/home/of-the-gateway', LANG: 'C', UPSTREAM_TOKEN: 't0ken', GATEWAY_SECRET: 'hidden' },
    );
    const { structuredContent } = await running.call('upstream.a', 'environment');
    expect(structuredContent).toEqual({
      PATH: process.env['PATH'],
      HOME: '/home/of-the-gateway',
      LANG: 'C',
      OWN: 'plain',
      TOKEN: 'Bearer t0ken',
      FOLDER: `${running.folder}/workspace/x`,
    });
  });

  it('are out of reach, and nothing is told of it outside, when a reference leads nowhere', async () => {
    const server = fixture();
    const running = await run({ a: { ...entryOf(server), env: { TOKEN: '${env:NOT_SET}' } } });
    const error = await running.call('upstream.a', 'echo').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect((error as Error).message).not.toContain('NOT_SET');
    expect(server.pids()).toEqual([]);
  });

  it('[UP-5] have their calls and their connection within the limits of their entry', async () => {
    const running = await run(
      {
        own: { ...entryOf(fixture()), callTimeoutSeconds: 3 },
        usual: entryOf(fixture()),
        mute: { ...entryOf(fixture({ mute: true })), connectTimeoutSeconds: 0.5 },
      },
      { CALL_TIMEOUT_SECS: '40' },
    );
    expect((await running.describe('upstream.own')).identity.callTimeoutMs).toBe(3_000);
    expect((await running.describe('upstream.usual')).identity.callTimeoutMs).toBe(40_000);
    const begun = performance.now();
    await expect(running.call('upstream.mute', 'echo')).rejects.toMatchObject({ code: 'TIMEOUT', executed: 'no' });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('keep their hidden tools to themselves', async () => {
    const server = fixture();
    const running = await run({ a: { ...entryOf(server), hiddenTools: ['echo'] } });
    const { tools } = await running.describe('upstream.a');
    expect(tools.map(({ definition }) => definition.name)).not.toContain('echo');
    expect(tools.map(({ definition }) => definition.name)).toContain('odd');
    await expect(running.call('upstream.a', 'echo')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL', executed: 'no' });
    expect(server.executions()).toBe(0);
  });

  it('mounted at the root pose as no domain of ours', async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    const names = ['gateway.describe', 'task_x', 'slack', 'tasks', 'fine'];
    const server = fixture({ tools: names.map(tool) });
    const running = await run({ a: { ...entryOf(server), mount: 'root' }, b: entryOf(server) });
    const namesAt = async (source: SourceAddress) =>
      (await running.describe(source)).tools.map(({ definition }) => definition.name);
    expect(await namesAt('upstream.a')).toEqual(['fine', 'tasks']);
    expect(await namesAt('upstream.b')).toEqual([...names].sort());
    await expect(running.call('upstream.a', 'gateway.describe')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
    expect((await running.describe('upstream.a')).identity.mount).toBe('root');
  });

  it('[FD-25][UP-7] have their text cut at the limit of their entry, and a flood refused', async () => {
    const server = fixture();
    const running = await run(
      { usual: entryOf(server), low: { ...entryOf(server), outputLimit: 15_000 } },
      { UPSTREAM_ANSWER_LIMIT_BYTES: '1000000' },
    );
    const textOf = async (source: SourceAddress, bytes: number) =>
      String((await running.call(source, 'flood', { bytes })).content![0]!['text']);
    expect(await textOf('upstream.usual', 90_000)).toBe('x'.repeat(90_000));
    expect(await textOf('upstream.usual', 150_000)).toBe(
      `${'x'.repeat(100_000)}\n[cut: 50000 of 150000 characters left out]`,
    );
    expect(await textOf('upstream.low', 20_000)).toBe(
      `${'x'.repeat(15_000)}\n[cut: 5000 of 20000 characters left out]`,
    );
    await expect(running.call('upstream.usual', 'flood', { bytes: 2_000_000 })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(await textOf('upstream.usual', 10)).toBe('x'.repeat(10));
  });

  it('report progress to who listens for it, in order', async () => {
    const running = await run({ a: entryOf(fixture()) });
    const seen: unknown[] = [];
    await running.bus.ask(
      callTool('upstream.a'),
      { tool: 'progress', arguments: {} },
      { deadlineMs: 20_000, onNotice: ({ params }) => void seen.push(params['progress']) },
    );
    expect(seen).toEqual([1, 2, 3]);
  });

  it('[FD-32] pass on that their lists have changed', async () => {
    const running = await run({ a: entryOf(fixture()) });
    const changed: string[] = [];
    await running.bus.listen(sourceChanged, ({ source }) => void changed.push(source));
    await running.call('upstream.a', 'change');
    await eventually(() => expect(changed).toEqual(['upstream.a']));
  });
});

describe('a server over HTTP', () => {
  it('[UP-10] is called with the headers of its entry, references resolved', async () => {
    const server = keep(await startModernHttpServer());
    const running = await run(
      { a: { url: server.url, allowPrivate: true, headers: { Authorization: 'Bearer ${env:TOKEN}' } } },
      { TOKEN: 't0ken' },
    );
    expect(await running.call('upstream.a', 'echo', { a: 1 })).toMatchObject({ structuredContent: { a: 1 } });
    const headers = server.requests.map((request) => request.headers['authorization']);
    expect(new Set(headers)).toEqual(new Set(['Bearer t0ken']));
  });

  it('[UP-11] is connected to by the lookup that guards private addresses', async () => {
    const server = keep(await startModernHttpServer());
    const url = server.url.replace('127.0.0.1', 'a-name.invalid');
    const asked: string[] = [];
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked.push(hostname);
      if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    };
    const session = sessionAt(url, lookup);
    expect((await session.catalogue({ signal: AbortSignal.timeout(5_000) })).tools.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set(['a-name.invalid']));

    const refusing = sessionAt(url, (_hostname, _options, callback) =>
      callback(Object.assign(new Error('private'), { code: 'EACCES' }), []),
    );
    await expect(refusing.catalogue({ signal: AbortSignal.timeout(5_000) })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });
});

function sessionAt(url: string, lookup: LookupFunction): HeldSession {
  const session = new HeldSession({ transport: 'http', url, headers: {}, lookup }, { name: 'a' });
  keep(session);
  return session;
}

describe('a file that can not be used', () => {
  it.each([
    [
      { gateway: { command: 'x' } },
      'mcp.json, entry "gateway": the name "gateway" belongs to a domain of the gateway itself.',
    ],
    [{ a: { command: 'x', port: 1 } }, 'mcp.json, entry "a": "port" is not a field of an entry.'],
  ])('stops the start with one sentence: %j', async (servers, sentence) => {
    const start = runUpstreams(servers);
    await expect(start).rejects.toThrow(sentence);
    await expect(start).rejects.toBeInstanceOf(ServersFileError);
  });

  it('that is named but not there stops it too', async () => {
    const { bus, folder } = await run({});
    const config = readConfig({ MCP_SERVERS_FILE: `${folder}/other.json` });
    await expect(startUpstreams(bus, config, silent)).rejects.toThrow(
      'MCP_SERVERS_FILE other.json can not be read (ENOENT).',
    );
  });
});
