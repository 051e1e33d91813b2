import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { callTool, complete, getPrompt, readResource } from '@portico/contracts';
import type { CallContext, ToolResult } from '@portico/contracts';
import type { StdioFixture } from '@portico/testkit';
import { opened } from './opened.js';
import { eventually, isAlive, runUpstreams } from './running.js';
import type { Running } from './running.js';

const { keep, fixture } = opened();

async function start(env: Record<string, string> = {}): Promise<{ server: StdioFixture; running: Running }> {
  const server = fixture();
  const { command, args } = server;
  const entry = { command, args, env: server.env, session: 'per-principal' };
  const running = await runUpstreams({ own: entry }, env);
  keep(running);
  return { server, running };
}

const contextOf = (subject: string, tenant = 't'): CallContext => ({
  correlationId: 'c1',
  principal: { tenant, subject },
});
const call = ({ bus }: Running, context: CallContext | undefined, tool = 'process'): Promise<ToolResult> =>
  bus.ask(callTool('upstream.own'), { tool, arguments: {} }, { deadlineMs: 20_000, ...(context && { context }) });
const processOf = async (running: Running, context: CallContext): Promise<unknown> =>
  ((await call(running, context)).structuredContent as { pid: number }).pid;

describe('[UP-10] a server with a session for each caller', () => {
  it('never mixes two: each has a process of his own, and keeps it', async () => {
    const { running } = await start();
    const callers = [contextOf('ann'), contextOf('ben'), contextOf('ann', 'other'), contextOf('nn', 'ta')];
    const first = await Promise.all(callers.map((context) => processOf(running, context)));
    expect(new Set(first).size).toBe(4);
    for (const [n, context] of callers.entries()) expect(await processOf(running, context)).toBe(first[n]);
  });

  it('tells what it publishes without any caller, and by a session that no caller gets', async () => {
    const { server, running } = await start();
    expect((await running.describe('upstream.own')).tools.length).toBeGreaterThan(0);
    const [reader] = server.pids();
    expect(await processOf(running, contextOf('ann'))).not.toBe(reader);
  });

  it('reads resources, gets prompts and completes by the session of the caller as well', async () => {
    const { server, running } = await start();
    const options = { deadlineMs: 20_000, context: contextOf('ann') };
    const asked = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
    await asked(running.bus.ask(readResource('upstream.own'), { uri: 'fixture://a' }, options));
    await asked(running.bus.ask(getPrompt('upstream.own'), { name: 'a' }, options));
    const ref = { type: 'ref/prompt' as const, name: 'a' };
    await asked(running.bus.ask(complete('upstream.own'), { ref, argument: { name: 'a', value: '' } }, options));
    expect(server.events()).toEqual(expect.arrayContaining(['resources/read', 'prompts/get', 'completion/complete']));
    expect(server.pids()).toEqual([await processOf(running, contextOf('ann'))]);
  });

  it('refuses a call without a caller, and starts nothing for it', async () => {
    const { server, running } = await start();
    await expect(call(running, undefined)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', executed: 'no' });
    expect(server.pids()).toEqual([]);
  });

  it('has no more of them than PER_PRINCIPAL_SESSIONS: an idle one makes room, and one that works does not', async () => {
    const { server, running } = await start({ PER_PRINCIPAL_SESSIONS: '2' });
    const ann = await processOf(running, contextOf('ann'));
    await processOf(running, contextOf('ben'));
    await processOf(running, contextOf('cid'));
    await eventually(() => expect(isAlive(ann as number)).toBe(false));
    expect(server.pids().filter(isAlive)).toHaveLength(2);
    for (const name of ['ben', 'cid']) void call(running, contextOf(name), 'hang').catch(() => undefined);
    await eventually(() => expect(server.events().filter((event) => event === 'act hang')).toHaveLength(2));
    await expect(call(running, contextOf('dan'))).rejects.toMatchObject({ code: 'RATE_LIMITED', executed: 'no' });
  });

  it('ends what nobody has used for PER_PRINCIPAL_IDLE_SECS', async () => {
    const { server, running } = await start({ PER_PRINCIPAL_IDLE_SECS: '1' });
    await processOf(running, contextOf('ann'));
    await eventually(() => expect(server.pids().filter(isAlive)).toEqual([]));
    await processOf(running, contextOf('ann'));
    expect(server.pids()).toHaveLength(2);
  });
});

describe('[UP-3] the era of a server', () => {
  it('is remembered over a restart, and asked anew when its configuration changes', async () => {
    const server = fixture();
    const { command, args } = server;
    const home = mkdtempSync(join(tmpdir(), 'portico-home-'));
    keep({ close: () => rmSync(home, { recursive: true }) });
    const asked = async (X: string): Promise<string[]> => {
      const before = server.events().length;
      const file = join(home, 'mcp.json');
      writeFileSync(file, JSON.stringify({ mcpServers: { a: { command, args, env: { X } } } }));
      const running = await runUpstreams(undefined, { PORTICO_HOME: home, MCP_SERVERS_FILE: file });
      await running.call('upstream.a', 'echo');
      await running.close();
      return server
        .events()
        .slice(before)
        .filter((event) => /^(server\/discover|initialize)$/.test(event));
    };
    expect(await asked('1')).toEqual(['server/discover', 'initialize']);
    expect(await asked('1')).toEqual(['initialize']);
    expect(await asked('2')).toEqual(['server/discover', 'initialize']);
  });
});
