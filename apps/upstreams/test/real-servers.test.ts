import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HeldSession } from '@portico/mcp-session';
import { startFakeKubernetes, startKubernetesMcp } from '@portico/testkit';
import type { FakeKubernetes, KubernetesMcp } from '@portico/testkit';
import { byName, programOf, published } from './published.js';
import type { PublishedTool } from './published.js';
import { runUpstreams } from './running.js';
import type { Running } from './running.js';

/** What one publishes over HTTP, by `fetch`: JSON or the one event of a stream. */
async function publishedOverHttp(url: string): Promise<PublishedTool[]> {
  let session: Record<string, string> = {};
  const post = async (message: object): Promise<{ result: { tools: PublishedTool[] } }> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const id = response.headers.get('mcp-session-id');
    if (id !== null) session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? (text || '{}')) as { result: { tools: PublishedTool[] } };
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  await post({ id: 1, method: 'initialize', params });
  await post({ method: 'notifications/initialized' });
  return (await post({ id: 2, method: 'tools/list', params: {} })).result.tools;
}

/** Processes started by this one, by a word of their command line. */
const processesOf = (word: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => {
      try {
        const ours = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`);
        return ours && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);

const SERVERS = ['filesystem', 'memory', 'everything', 'stateful', 'stateless'] as const;
type Name = (typeof SERVERS)[number];

describe('real servers, all at once', () => {
  let api: FakeKubernetes;
  let stateful: KubernetesMcp;
  let stateless: KubernetesMcp;
  let running: Running;
  let folder: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-real-')));
    api = await startFakeKubernetes();
    [stateful, stateless] = await Promise.all([
      startKubernetesMcp({ api }),
      startKubernetesMcp({ api, stateless: true }),
    ]);
    running = await runUpstreams({
      filesystem: { command: process.execPath, args: [programOf('server-filesystem'), folder] },
      memory: {
        command: process.execPath,
        args: [programOf('server-memory')],
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      },
      everything: { command: process.execPath, args: [programOf('server-everything'), 'stdio'] },
      stateful: { url: stateful.url, allowPrivate: true },
      stateless: { url: stateless.url, allowPrivate: true },
    });
  }, 60_000);
  afterAll(async () => {
    await running.close();
    await Promise.all([stateful.close(), stateless.close()]);
    await api.close();
    await rm(folder, { recursive: true });
  });

  const CALLS: Readonly<Record<Name, [tool: string, args: () => Record<string, unknown>]>> = {
    filesystem: ['list_directory', () => ({ path: folder })],
    memory: ['read_graph', () => ({})],
    everything: ['echo', () => ({ message: 'hello' })],
    stateful: ['namespaces_list', () => ({})],
    stateless: ['namespaces_list', () => ({})],
  };
  const call = (name: Name) => running.call(`upstream.${name}`, CALLS[name][0], CALLS[name][1]());

  it('[FD-14][UP-3] publish every tool through us exactly as they publish it themselves', async () => {
    const direct: Record<Name, PublishedTool[]> = {
      filesystem: await published('server-filesystem', [folder]),
      memory: await published('server-memory', []),
      everything: await published('server-everything', ['stdio']),
      stateful: await publishedOverHttp(stateful.url),
      stateless: await publishedOverHttp(stateless.url),
    };
    const found = await Promise.all(SERVERS.map((name) => running.describe(`upstream.${name}`)));
    for (const [n, name] of SERVERS.entries()) {
      expect(direct[name].length).toBeGreaterThan(5);
      expect(found[n]!.tools.map(({ definition }) => definition)).toEqual(byName(direct[name]));
    }
    // Only without sessions does the Kubernetes server speak the newer revision.
    expect(found.map(({ identity }) => identity.era)).toEqual(['legacy', 'legacy', 'legacy', 'legacy', 'modern']);
  }, 60_000);

  it('[UP-6] killed by kill -9 under load, one after another, fail what ran on them and work again; the others do not notice', async () => {
    for (const name of SERVERS) expect((await call(name)).isError).toBeFalsy();
    for (const killed of SERVERS) {
      let loading = true;
      const failures: Record<string, unknown[]> = {};
      const load = SERVERS.map(async (name) => {
        while (loading) {
          await call(name).catch((error: unknown) => (failures[name] ??= []).push(error));
          await delay(1);
        }
      });
      await delay(100);
      const kubernetes = { stateful, stateless }[killed as string];
      if (kubernetes === undefined) {
        for (const pid of processesOf(`server-${killed}`)) process.kill(pid, 'SIGKILL');
      } else {
        await kubernetes.kill();
        await kubernetes.restart();
      }
      for (const end = performance.now() + 20_000; ; await delay(20)) {
        if (await call(killed).then(Boolean, () => false)) break;
        if (performance.now() > end) throw new Error(`${killed} did not come back`);
      }
      loading = false;
      await Promise.all(load);
      for (const [name, faults] of Object.entries(failures)) {
        expect(name).toBe(killed);
        for (const fault of faults) expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      }
    }
    for (const name of ['filesystem', 'memory', 'everything']) expect(processesOf(`server-${name}`)).toHaveLength(1);
  }, 120_000);

  it('[UP-9] leave nothing of themselves when the service ends', async () => {
    const session = new HeldSession(
      { transport: 'stdio', command: process.execPath, args: [programOf('server-everything'), 'stdio'], env: {} },
      { name: 'everything' },
    );
    await session.catalogue({ signal: AbortSignal.timeout(20_000) });
    expect(processesOf('server-everything').length).toBeGreaterThan(0);
    await session.close();
    await running.close();
    for (const name of ['filesystem', 'memory', 'everything']) expect(processesOf(`server-${name}`)).toEqual([]);
  }, 30_000);
});
