import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import { callTool } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig as readCache, startSemanticCache } from '@portico/semantic-cache';
import {
  type ModernHttpServer,
  type NatsWithUsers,
  describeIfAvailable,
  startModernHttpServer,
  startNatsWithUsers,
} from '@portico/testkit';
import { readConfig as readUpstreams, startUpstreams } from '@portico/upstreams';
import { listen } from '../apps/front-door/test/listen.js';
import { WholePortico, call } from './whole-portico.js';

const until = async (so: () => boolean | Promise<boolean>, what: () => string, ms = 20_000): Promise<void> => {
  const end = performance.now() + ms;
  while (!(await so())) {
    if (performance.now() > end) throw new Error(what());
    await delay(20);
  }
};

describeIfAvailable('nats-server', '[OP-5] the whole system by its permissions', () => {
  let nats: NatsWithUsers;
  let portico: WholePortico;
  let web: ModernHttpServer;
  let agent: Client;
  const upstreams: (() => Promise<void>)[] = [];
  const home = mkdtempSync(join(tmpdir(), 'portico-permitted-'));

  beforeAll(async () => {
    nats = await startNatsWithUsers();
    web = await startModernHttpServer();
    portico = await WholePortico.start(
      nats.urlOf,
      {
        tools: [{ match: 'web.echo', effect: 'read', cache: {} }],
        access: [{ subjects: ['agent'], allow: ['*'] }],
      },
      { SEMANTIC_CACHE: 'on' },
    );
    const file = join(home, 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { web: { url: `${web.url}/mcp`, allowPrivate: true } } }));
    const env = { PORTICO_HOME: home, WORKSPACE: home, MCP_SERVERS_FILE: file };
    await portico.service('semantic-cache', (bus, log) => startSemanticCache(bus, readCache(env), log));
    for (const _ of ['one', 'another'])
      upstreams.push(await portico.service('upstreams', (bus, log) => startUpstreams(bus, readUpstreams(env), log)));
    agent = await portico.agent();
    // A client keeps the list that it has for a while.
    const answers = async () => !(await call(agent, 'web.echo').catch(() => ({ isError: true }))).isError;
    await until(answers, () => portico.lines.slice(-20).join('\n'));
  }, 120_000);
  afterEach(() => {
    expect(nats.refused()).toEqual([]);
    const lines = portico.lines.filter((line) =>
      /permissions violation|bus\.server-error|subscription-refused/i.test(line),
    );
    expect(lines).toEqual([]);
  });
  afterAll(async () => {
    await portico?.close();
    await web?.close();
    await nats?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const admin = async (path: string, body?: object): Promise<string> => {
    const token = readFileSync(join(portico.folder, 'admin-token'), 'utf8').trim();
    const response = await fetch(`${portico.adminUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.text();
  };

  it('asks every domain for its health, and calls a tool of each', async () => {
    const { json } = await call(agent, 'gateway.health');
    const domains = ['cluster', 'dagger', 'github', 'n8n', 'plane', 'slack', 'task'];
    expect(JSON.stringify(json)).toEqual(expect.stringMatching(new RegExp(domains.join('.*'))));
    const { tools } = await agent.listTools();
    for (const domain of domains.filter((name) => name !== 'task')) {
      const one = tools.find(({ name, annotations }) => name.startsWith(`${domain}.`) && annotations?.readOnlyHint);
      if (!one) throw new Error(`${domain} has no tool that reads.`);
      const given = await call(
        agent,
        one.name,
        Object.fromEntries((one.inputSchema.required ?? []).map((name) => [name, 'acme/shop'])),
      );
      // A double may have nothing to tell; what is asked here is whether it was reached.
      expect(given.text).not.toMatch(/BACKEND_UNAVAILABLE|TIMEOUT|UNKNOWN_TOOL|PERMISSION_DENIED/);
    }
    const lease = await call(agent, 'task.acquire', { resource: 'anything:1', ttl_seconds: 30 });
    expect(lease.json).toHaveProperty('lease_id');
  }, 60_000);

  it('tells of progress, and ends what is cancelled', async () => {
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void seen.push(progress);
    await agent.callTool({ name: 'web.progress', arguments: {} }, { onprogress });
    expect(seen).toEqual([1, 2, 3]);

    const stop = new AbortController();
    const hanging = agent.callTool({ name: 'web.hang', arguments: {} }, { signal: stop.signal });
    const ended = hanging.then(
      () => 'answered',
      () => 'ended',
    );
    const arrived = () => web.requests.some(({ message }) => message.params?.['name'] === 'hang');
    await until(arrived, () => 'it never arrived');
    stop.abort();
    expect(await ended).toBe('ended');
  }, 60_000);

  it('answers from the cache, and erases it for an operator, who sees and changes the servers', async () => {
    await call(agent, 'web.echo', { of: 'the cache' });
    // The store of this test is the embedded one, which takes its time to start.
    const erased = async () => (await admin('/api/cache/erase', { tenant: 'acme' })).includes('"ok":true');
    await until(erased, () => portico.lines.slice(-20).join('\n'), 60_000);
    const args = { of: 'the cache again' };
    const kept = async () => JSON.stringify((await call(agent, 'web.echo', args)).whole).includes('"exact"');
    await until(kept, () => portico.lines.slice(-20).join('\n'), 60_000);
    expect(JSON.parse(await admin('/api/cache/erase', { tenant: 'acme' }))).toMatchObject({ ok: true });
    expect(await admin('/api/mcp')).toContain('"web"');
    expect(await admin('/api/mcp/test', { name: 'web' })).toContain('"ok":true');
  }, 150_000);

  it('tells a subscriber that the tools have changed', async () => {
    const authorization = { Authorization: `Bearer ${portico.agentKey}` };
    const stream = await listen(portico.url, { toolsListChanged: true }, 'sub', authorization);
    expect(stream.messages[0]?.method).toBe('notifications/subscriptions/acknowledged');
    const url = `${web.url}/mcp`;
    expect(await admin('/api/mcp/save', { name: 'more', entry: { url, allowPrivate: true } })).toContain('"ok":true');
    const changed = () => stream.messages.some(({ method }) => method === 'notifications/tools/list_changed');
    await until(changed, () => JSON.stringify(stream.messages));
    stream.close();
  }, 60_000);

  it('hands over between two instances of upstreams without a failed call', async () => {
    let going = true;
    const failed: string[] = [];
    let calls = 0;
    const callers = Array.from({ length: 4 }, async (_, who) => {
      for (; going; calls += 1) {
        const given = await call(agent, 'web.echo', { who, calls });
        if (given.isError) failed.push(given.text);
      }
    });
    await delay(200);
    await upstreams[0]!();
    const before = calls;
    await until(
      () => calls > before + 20,
      () => 'nothing is called any more',
    );
    going = false;
    await Promise.all(callers);
    expect(failed).toEqual([]);
  }, 60_000);
});

describeIfAvailable('nats-server', '[OP-5][OP-6] the password of one service is changed', () => {
  it('under load, by its two users in turn, without a failed call', async () => {
    const nats = await startNatsWithUsers();
    const folder = mkdtempSync(join(tmpdir(), 'portico-rotated-'));
    const file = join(folder, 'bus-url');
    const lines: string[] = [];
    const log = createLog({ name: 'test', format: 'json', write: (line) => void lines.push(line) });
    const moved = (times: number) => () => lines.filter((line) => line.includes('bus.new-address')).length === times;
    writeFileSync(file, nats.urlOf('adapter-plane'));
    const plane = await connectBus({ url: `file:${file}`, name: 'adapter-plane', log });
    const door = await connectBus({ url: nats.urlOf('front-door'), name: 'front-door', log });
    try {
      const read = callTool('domain.plane');
      await plane.serve(read, async () => {
        await delay(10);
        return { content: [] };
      });
      let [going, calls] = [true, 0];
      const failed: unknown[] = [];
      const callers = Array.from({ length: 8 }, async () => {
        for (; going; calls += 1)
          await door
            .ask(read, { tool: 'get', arguments: {} }, { deadlineMs: 10_000 })
            .catch((error: unknown) => failed.push(error));
      });
      for (const [turn, [to, from]] of [
        ['adapter-plane-next', 'adapter-plane'],
        ['adapter-plane', 'adapter-plane-next'],
      ].entries()) {
        await nats.changePassword(to!);
        writeFileSync(file, nats.urlOf(to!));
        await until(moved(turn + 1), () => lines.join('\n'));
        // The old one is worth nothing from here on.
        const old = nats.urlOf(from!);
        await nats.changePassword(from!);
        await expect(connectBus({ url: old, name: 'adapter-plane' })).rejects.toThrow('does not let us in');
        const before = calls;
        await until(
          () => calls > before + 50,
          () => 'nothing is called any more',
        );
      }
      going = false;
      await Promise.all(callers);
      expect(failed).toEqual([]);
      expect(lines.filter((line) => line.includes('bus.disconnected'))).toEqual([]);
      expect(nats.log()).not.toMatch(/Permissions Violation/i);
    } finally {
      await Promise.all([plane.close(), door.close()]);
      await nats.stop();
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});
