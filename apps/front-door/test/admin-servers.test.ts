import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ModernHttpServer,
  type StdioFixture,
  type StdioScript,
  startModernHttpServer,
  stdioServer,
} from '@portico/testkit';
import { admin } from './admin-client.js';
import { listen } from './listen.js';
import { type OpenDoor, openDoor } from './open-door.js';

const LITERAL_SECRET = 'literal-secret-of-an-entry';

let door: OpenDoor;
let modern: ModernHttpServer;
const fixtures: StdioFixture[] = [];
beforeAll(async () => {
  modern = await startModernHttpServer();
});
afterAll(() => modern.close());
beforeEach(async () => {
  door = await openDoor(
    { GATEWAY_SECRET: 'hunter2', OFFERED: 'offered-value', SERVER_SECRETS: 'OFFERED' },
    { servers: { filed: { url: modern.url, allowPrivate: true } } },
  );
});
afterEach(async () => {
  await door.close();
  for (const fixture of fixtures.splice(0)) fixture.close();
});

const post = (what: string, body: unknown) => admin(door, 'POST', `/api/mcp/${what}`, { body });
const stdio = (script?: StdioScript) => {
  const fixture = stdioServer(script);
  fixtures.push(fixture);
  return { fixture, entry: { command: fixture.command, args: fixture.args, env: fixture.env } };
};
const http = () => ({ url: modern.url, allowPrivate: true, headers: { 'X-Secret': LITERAL_SECRET } });
const servers = async (): Promise<{ name: string; state: string }[]> =>
  (await admin(door, 'GET', '/api/mcp')).body.servers;
const toolsOf = async (server: string): Promise<string[]> =>
  ((await door.rpc('tools/list')).message.result.tools as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${server}.`));
const call = async (name: string, args: object = { said: 'hello' }) =>
  (await door.rpc('tools/call', { name, arguments: args })).message;
const until = async (so: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + 20_000; !(await so());) {
    if (Date.now() > end) throw new Error('It did not come to be.');
    await new Promise((next) => setTimeout(next, 20));
  }
};
/** A server's word on what it was asked, by method. */
const asked = (method: string) => modern.requests.filter(({ message }) => message.method === method).length;

describe('[UP-2][DI-10] servers added by API, with no restart', () => {
  it.each(['http', 'stdio'] as const)(
    'one over %s: a listening agent is told, lists its tools and calls one',
    async (transport) => {
      expect(await toolsOf('added')).toEqual([]);
      const listening = await listen(door.url, { toolsListChanged: true });
      const entry = transport === 'http' ? http() : stdio().entry;
      const { status, body } = await post('save', { name: 'added', entry });
      expect([status, body]).toMatchObject([
        200,
        { ok: true, server: { name: 'added', transport, source: 'api', enabled: true } },
      ]);
      await until(async () => (await toolsOf('added')).includes('added.echo'));
      await until(() => listening.messages.some(({ method }) => method === 'notifications/tools/list_changed'));
      const { result } = await call('added.echo');
      expect([result.isError ?? false, result.structuredContent]).toEqual([false, { said: 'hello' }]);
      expect((await servers()).find(({ name }) => name === 'added')).toMatchObject({
        state: 'connected',
        transport,
        error: null,
      });
      listening.close();
    },
  );

  it('toggle: what is off is neither listed nor called, and its process is gone; on again it is there again', async () => {
    const { fixture, entry } = stdio();
    await post('save', { name: 'added', entry });
    await until(async () => (await toolsOf('added')).length > 0);
    const off = await post('toggle', { name: 'added', enabled: false });
    expect(off.body).toMatchObject({ ok: true, server: { enabled: false, state: 'disabled' } });
    await until(async () => (await toolsOf('added')).length === 0);
    expect((await call('added.echo')).error ?? (await call('added.echo')).result.isError).toBeTruthy();
    await until(() => fixture.pids().every((pid) => !isAlive(pid)));
    expect((await post('toggle', { name: 'added', enabled: true })).body).toMatchObject({
      ok: true,
      server: { enabled: true },
    });
    await until(async () => (await toolsOf('added')).includes('added.echo'));
    expect((await call('added.echo')).result.structuredContent).toEqual({ said: 'hello' });
  });

  it('tool: a hidden one is neither listed nor called, a shown one is', async () => {
    await post('save', { name: 'added', entry: http() });
    await until(async () => (await toolsOf('added')).includes('added.echo'));
    const executions = modern.executions;
    const hidden = await post('tool', { name: 'added', tool: 'echo', hidden: true });
    expect(hidden.body).toMatchObject({ ok: true, server: { hiddenTools: ['echo'] } });
    await until(async () => !(await toolsOf('added')).includes('added.echo'));
    expect((await toolsOf('added')).length).toBeGreaterThan(0);
    const refused = await call('added.echo');
    expect(refused.error ?? refused.result.isError).toBeTruthy();
    expect(modern.executions).toBe(executions);
    expect((await post('tool', { name: 'added', tool: 'no-such', hidden: true })).body.error).toMatchObject({
      code: 'UNKNOWN_TOOL',
      field: 'tool',
    });
    await post('tool', { name: 'added', tool: 'echo', hidden: false });
    await until(async () => (await toolsOf('added')).includes('added.echo'));
    expect((await call('added.echo')).result.isError ?? false).toBe(false);
  });

  it('test: connects anew, and says what is wrong with one that can not be', async () => {
    const { fixture, entry } = stdio();
    await post('save', { name: 'added', entry });
    expect((await post('test', { name: 'added' })).body).toMatchObject({ ok: true, server: { state: 'connected' } });
    const [first] = fixture.pids() as [number];
    expect((await post('test', { name: 'added' })).body).toMatchObject({ ok: true, server: { state: 'connected' } });
    await until(() => !isAlive(first));
    expect(fixture.pids().length).toBeGreaterThan(1);
    await post('save', { name: 'broken', entry: stdio({ exits: true }).entry });
    const { status, body } = await post('test', { name: 'broken' });
    expect([status, body.server]).toMatchObject([200, { name: 'broken', state: 'failed', error: expect.any(String) }]);
  });

  it('prewarm: connects those that are enabled, before anybody lists', async () => {
    const before = asked('server/discover');
    expect(await post('prewarm', {})).toMatchObject({ status: 200, body: { ok: true } });
    await until(() => asked('server/discover') > before);
  });

  it('delete: it is gone, with its tools and its process, and a second time it is not there', async () => {
    const { fixture, entry } = stdio();
    await post('save', { name: 'added', entry });
    await until(async () => (await toolsOf('added')).length > 0);
    expect(await post('delete', { name: 'added' })).toMatchObject({ status: 200, body: { ok: true } });
    await until(async () => (await toolsOf('added')).length === 0);
    await until(() => fixture.pids().every((pid) => !isAlive(pid)));
    expect((await servers()).map(({ name }) => name)).toEqual(['filed']);
    expect(await post('delete', { name: 'added' })).toMatchObject({
      status: 404,
      body: { error: { code: 'UNKNOWN_SERVER', field: 'name' } },
    });
  });

  it('catalog: about 25 servers, with what each needs', async () => {
    const { status, body } = await admin(door, 'GET', '/api/mcp/catalog');
    expect(status).toBe(200);
    expect(body.servers.length).toBeGreaterThan(15);
    expect(JSON.stringify(body)).not.toContain('{workspace}');
  });
});

describe('[UP-2][UP-1] what is refused, and changes nothing', () => {
  const entry = { url: 'https://search.example/mcp' };
  it.each([
    [400, 'RESERVED_NAME', 'name', { name: 'GitHub', entry }],
    [400, 'RESERVED_NAME', 'name', { name: 'TASK', entry }],
    [400, 'INVALID_NAME', 'name', { name: '', entry }],
    [400, 'INVALID_NAME', 'name', { name: '../etc', entry }],
    [400, 'INVALID_NAME', 'name', { name: 'x'.repeat(100_000), entry }],
    [400, 'INVALID_FIELD', 'entry', { name: 'added' }],
    [400, 'INVALID_FIELD', 'entry', { name: 'added', entry: [] }],
    [400, 'TRANSPORT_REQUIRED', expect.anything(), { name: 'added', entry: {} }],
    [400, 'TRANSPORT_CONFLICT', expect.anything(), { name: 'added', entry: { ...entry, command: 'x' } }],
    [400, 'TRANSPORT_UNSUPPORTED', 'type', { name: 'added', entry: { ...entry, type: 'sse' } }],
    [400, 'UNKNOWN_FIELD', expect.anything(), { name: 'added', entry: { ...entry, urls: 'x' } }],
    [400, 'PRIVATE_ADDRESS', 'url', { name: 'added', entry: { url: 'http://169.254.169.254/mcp' } }],
    [400, 'PRIVATE_ADDRESS', 'url', { name: 'added', entry: { url: 'http://[::ffff:127.0.0.1]/mcp' } }],
    [
      400,
      'SECRET_NOT_ALLOWED',
      expect.anything(),
      { name: 'added', entry: { ...entry, headers: { A: '${env:GATEWAY_SECRET}' } } },
    ],
    [
      400,
      'SECRET_NOT_ALLOWED',
      expect.anything(),
      { name: 'added', entry: { command: 'x', env: { A: 'x${env:GATEWAY_SECRET}' } } },
    ],
    [
      400,
      'SECRET_NOT_ALLOWED',
      expect.anything(),
      { name: 'added', entry: { command: 'x', env: { A: '${file:admin-token}' } } },
    ],
    [409, 'READ_ONLY_ENTRY', 'name', { name: 'filed', entry }],
  ])('%i %s of %s', async (status, code, field, body) => {
    const answer = await post('save', body);
    expect([answer.status, answer.body]).toEqual([
      status,
      { ok: false, error: { code, field, message: expect.any(String) } },
    ]);
    expect(answer.text.length).toBeLessThan(1_000);
    expect(answer.text).not.toContain('hunter2');
    expect((await servers()).map(({ name }) => name)).toEqual(['filed']);
  });

  it('another spelling of a taken name is 409', async () => {
    expect(await post('save', { name: 'My Notes', entry })).toMatchObject({ status: 200 });
    expect(await post('save', { name: 'my-notes', entry })).toMatchObject({
      status: 409,
      body: { error: { code: 'DUPLICATE_NAME', field: 'name' } },
    });
    expect((await servers()).map(({ name }) => name).sort()).toEqual(['filed', 'my-notes']);
  });

  it('a server of the file is not changed by API', async () => {
    for (const [what, more] of [
      ['delete', {}],
      ['toggle', { enabled: false }],
      ['tool', { tool: 'echo', hidden: true }],
    ] as const)
      expect(await post(what, { name: 'filed', ...more })).toMatchObject({
        status: 409,
        body: { error: { code: 'READ_ONLY_ENTRY' } },
      });
    for (const [what, more] of [
      ['delete', {}],
      ['toggle', { enabled: true }],
      ['tool', { tool: 'x', hidden: true }],
      ['test', {}],
    ] as const)
      expect(await post(what, { name: 'nowhere', ...more })).toMatchObject({
        status: 404,
        body: { error: { code: 'UNKNOWN_SERVER' } },
      });
  });

  it('no value of an entry is in any answer or log line', async () => {
    const offered = { command: 'no-such-program', env: { A: '${env:OFFERED}', B: LITERAL_SECRET } };
    const answers = [
      await post('save', { name: 'added', entry: http() }),
      await post('save', { name: 'offered', entry: offered }),
      await post('test', { name: 'added' }),
      await post('test', { name: 'offered' }),
      await admin(door, 'GET', '/api/mcp'),
      await admin(door, 'GET', '/api/mcp/catalog'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    for (const text of [...answers.map((answer) => answer.text), door.lines.join('\n')]) {
      expect(text).not.toContain(LITERAL_SECRET);
      expect(text).not.toContain('offered-value');
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(door.adminToken);
    }
    expect(modern.requests.some(({ headers }) => headers['x-secret'] === LITERAL_SECRET)).toBe(true);
  });
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
