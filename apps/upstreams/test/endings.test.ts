import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { callTool, listServers } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig, startUpstreams } from '@portico/upstreams';
import { entryOf, opened } from './opened.js';
import { eventually, isAlive, runUpstreams, silent } from './running.js';
import type { Running } from './running.js';

const { keep, fixture } = opened();

const run = async (...given: Parameters<typeof runUpstreams>): Promise<Running> => keep(await runUpstreams(...given));

describe('a server that dies', () => {
  it('[UP-6] by kill -9 in the middle of a call fails that call alone, and works again for the next', async () => {
    const dying = fixture();
    const running = await run({ dying: entryOf(dying), other: entryOf(fixture()) });
    await running.call('upstream.dying', 'echo');
    const call = running.call('upstream.dying', 'hang').catch((error: unknown) => error);
    await eventually(() => expect(dying.events()).toContain('act hang'));
    process.kill(dying.pids().at(-1)!, 'SIGKILL');
    expect(await call).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    expect(await running.call('upstream.other', 'echo', { a: 1 })).toMatchObject({ structuredContent: { a: 1 } });
    expect(await running.call('upstream.dying', 'echo', { a: 2 })).toMatchObject({ structuredContent: { a: 2 } });
    expect(dying.executions()).toBe(3);
  });

  it('as soon as it is started is out of reach, and nothing was executed', async () => {
    const running = await run({ a: entryOf(fixture({ exits: true })) });
    await expect(running.call('upstream.a', 'echo')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
    await expect(running.describe('upstream.a')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('[UP-9] with the gateway leaves no process behind, what it started included', async () => {
    const server = fixture({ grandchild: true });
    const running = await run({ a: entryOf(server) });
    await running.call('upstream.a', 'echo');
    expect(server.pids().filter(isAlive).length).toBeGreaterThanOrEqual(2);
    await running.close();
    await eventually(() => expect(server.pids().filter(isAlive)).toEqual([]));
  });
});

describe('a call that its caller cancels', () => {
  it('is no failure: nothing is said of it above debug, and no stack at all', async () => {
    const lines: string[] = [];
    const log = createLog({ name: 'upstreams', level: 'debug', write: (line) => void lines.push(line) });
    const server = fixture();
    const running = keep(await runUpstreams({ a: entryOf(server) }, {}, log));
    await running.call('upstream.a', 'echo');
    lines.length = 0;
    const leaving = new AbortController();
    const hanging = running.bus.ask(
      callTool('upstream.a'),
      { tool: 'hang', arguments: {} },
      { deadlineMs: 20_000, signal: leaving.signal },
    );
    await eventually(() => expect(server.events()).toContain('act hang'));
    leaving.abort();
    await expect(hanging).rejects.toMatchObject({ code: 'CANCELLED' });
    await eventually(() => expect(server.events()).toContain('notifications/cancelled'));
    await delay(100);
    expect(lines.filter((line) => !line.includes('"level":"debug"'))).toEqual([]);
    expect(lines.join('')).not.toContain('stack');
  });
});

describe('the end of the service', () => {
  it('[UP-9] ends every server and all else also when one thing can not be ended as it should', async () => {
    const servers = [fixture(), fixture()];
    const folder = mkdtempSync(join(tmpdir(), 'portico-end-'));
    keep({ close: () => rmSync(folder, { recursive: true }) });
    const file = join(folder, 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { a: entryOf(servers[0]!), b: entryOf(servers[1]!) } }));
    const lines: string[] = [];
    const log = createLog({ name: 'upstreams', write: (line) => void lines.push(line) });
    const bus = keep(memoryBus({ log: silent }));
    const serve = bus.serve.bind(bus);
    // Of a connection that is lost in that moment every end of a subscription may fail.
    bus.serve = async (...asked) => {
      const subscription = await serve(...asked);
      return {
        close: async () => {
          await subscription.close();
          throw new Error('the connection is gone');
        },
      };
    };
    const env = { PATH: process.env['PATH'], PORTICO_HOME: join(folder, 'home'), MCP_SERVERS_FILE: file };
    const upstreams = await startUpstreams(bus, readConfig({ ...env, WORKSPACE: join(folder, 'workspace') }), log);
    for (const name of ['a', 'b'] as const) {
      const request = { tool: 'echo', arguments: {} };
      await bus.ask(callTool(`upstream.${name}`), request, { deadlineMs: 20_000 });
    }
    await upstreams.close();
    expect(lines.filter((line) => line.includes('not-closed')).join()).toContain('the connection is gone');
    expect(servers.flatMap((server) => server.pids()).filter(isAlive)).toEqual([]);
    await expect(bus.ask(listServers, {})).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });
});
