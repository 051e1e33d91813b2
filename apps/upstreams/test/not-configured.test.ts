import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { listServers, saveServer, testServer } from '@portico/contracts';
import type { ServerState } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { entryOf, opened } from './opened.js';
import { runUpstreams } from './running.js';
import type { Running } from './running.js';

const { keep, fixture } = opened();

interface Line {
  readonly level: string;
  readonly event: string;
}

async function run(entry: Record<string, unknown>, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const log = createLog({ name: 'upstreams', level: 'debug', write: (line) => void lines.push(line) });
  const running = keep(await runUpstreams({ a: entry }, env, log));
  const loud = (): Line[] =>
    lines.map((line) => JSON.parse(line) as Line).filter(({ level }) => level === 'warn' || level === 'error');
  return { running, lines, loud };
}

const stateOf = async ({ bus }: Running): Promise<ServerState> => (await bus.ask(listServers, {})).servers[0]!;
const faultOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

const script = (text: string) => ({ command: process.execPath, args: ['-e', text] });

describe('[UP-1][UP-2] a server that can not be connected to as it is configured', () => {
  it.each([
    ['a variable that is not set', { command: 'x', env: { A: 'v ${env:NOT_SET} w' } }, '${env:NOT_SET} is not set'],
    ['a file that is not there', { command: 'x', env: { A: '${file:token.txt}' } }, '${file:token.txt} is not there'],
    [
      'credentials that are not set',
      {
        url: 'http://127.0.0.1:1/mcp',
        allowPrivate: true,
        oauth: { clientId: 'a', clientSecret: '${env:NOT_SET}', tokenUrl: 'http://127.0.0.1:1/token' },
      },
      '${env:NOT_SET} is not set',
    ],
    ['a program that is nowhere', { command: 'no-such-program-at-all' }, 'no such program'],
    ['a program that is not where it says', { command: './no-such-program' }, 'no such program'],
    ['a program that is a folder', { command: '/' }, 'no such program'],
    ['a folder that is not there', { ...script('0'), cwd: 'nowhere' }, 'no such folder to run in'],
    ['a process that ends', script('process.exit(7)'), 'the process ended with exit code 7 before it answered'],
    [
      'a process that is killed',
      script("process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)"),
      'the process ended by SIGKILL before it answered',
    ],
  ])('for %s says so to operators, once, and to nobody else', async (_what, entry, reason) => {
    const { running, lines, loud } = await run(entry);
    for (let turn = 0; turn < 3; turn++) {
      const fault = (await faultOf(running.call('upstream.a', 'echo'))) as Error;
      expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      expect(fault.message).not.toContain(reason);
      expect(fault.message).not.toContain('NOT_SET');
      await faultOf(running.describe('upstream.a'));
      const state = await stateOf(running);
      expect(state).toMatchObject({ state: 'failed', tools: 0 });
      expect(state.error).toMatch(/^The server "a" .*\.$|^No credentials for the server "a" .*\.$/);
      expect(state.error).toContain(`: ${reason}.`);
    }
    expect(loud()).toMatchObject([{ level: 'warn', reason }]);
    // Neither where we are installed nor where anything is.
    expect(JSON.stringify(loud())).not.toMatch(/stack|node_modules|\bat .*:\d+|\/tmp|file:\/\//);
    expect(lines.join('')).not.toContain('bus.handler-fault');
  });

  it('is well as soon as what was missing is there, and starts nothing before', async () => {
    const server = fixture();
    const secrets = { SECRETS_DIR: '' };
    const first = await run({ command: 'x' });
    secrets.SECRETS_DIR = join(first.running.folder, 'secrets');
    const entry = { ...entryOf(server), env: { ...server.env, TOKEN: '${file:token}' } };
    const { running, loud } = await run(entry, secrets);
    for (let turn = 0; turn < 3; turn++) await faultOf(running.call('upstream.a', 'echo'));
    expect(server.pids()).toEqual([]);
    await mkdir(secrets.SECRETS_DIR);
    await writeFile(join(secrets.SECRETS_DIR, 'token'), 's3cret\n');
    expect((await running.call('upstream.a', 'environment')).structuredContent).toMatchObject({ TOKEN: 's3cret' });
    expect(await stateOf(running)).toMatchObject({ state: 'connected', error: null });
    expect(loud()).toHaveLength(1);
  });

  it('that was saved by API can be tested again and saved anew', async () => {
    const server = fixture();
    const { running } = await run({ command: 'x', enabled: false });
    const { bus } = running;
    await bus.ask(saveServer, { name: 'b', entry: { command: 'no-such-program' } });
    for (let turn = 0; turn < 2; turn++) {
      expect(await bus.ask(testServer, { name: 'b' })).toMatchObject({
        ok: true,
        server: { state: 'failed', error: 'The server "b" is not completely configured: no such program.' },
      });
    }
    await bus.ask(saveServer, { name: 'b', entry: entryOf(server) });
    expect(await bus.ask(testServer, { name: 'b' })).toMatchObject({ server: { state: 'connected', error: null } });
  });
});
