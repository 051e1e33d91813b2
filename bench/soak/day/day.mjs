import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { said } from '../../children.mjs';
import { startBackends } from '../../faults/backends.mjs';
import { MARK, emptyHome, message, openPortico, tinyServer } from '../room.mjs';

// An agent's day, again and again: what it reads, what it writes under a lease, whom it tells, what it listens to. Every
// domain has the test double of its backend behind it, the cluster a real kubernetes-mcp-server.

const READERS = 4;
const READ_EVERY_MS = 25;
const WRITE_EVERY_MS = 2_000;
const LIST_EVERY_MS = 250;
/** A Slack channel takes a message a second. */
const LISTEN_FOR_MS = 1_000;
/** Connections that are kept for reuse have closed by then, and what is written behind the answers is written. */
const QUIET_AFTER_MS = 8_000;
/** Of the calls: a machine that others use too may let one reach its deadline. */
const MOST_FAILED = 0.01;
const CACHED_LINES = 50;
const POLICY = { tools: [{ match: 'ledger.read', effect: 'read', cache: {} }] };

const beside = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

const startDoubles = async () => {
  const args = ['--import', beside('./typescript.mjs'), beside('./backends.mjs'), await emptyHome(), MARK];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [, settings] = await said(child, /settings (.*)\n/);
  const close = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  };
  process.once('exit', () => child.kill('SIGKILL'));
  return { env: /** @type {Record<string, string>} */ (JSON.parse(settings)), close };
};

/** @param {string} url */
const agentAt = (url) => {
  // Closed by us before the server does: else a request may be sent on a connection that ends.
  const via = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });
  const seen = { calls: 0, heard: 0, failed: 0, failure: '' };
  /** @param {Parameters<typeof message>} what */
  const ask = async (...what) => {
    const { statusCode, body } = await request(url, { .../** @type {any} */ (message(...what)), dispatcher: via });
    const text = await body.text();
    if (statusCode !== 200)
      throw new Error(`${what.map((each) => JSON.stringify(each)).join(' ')}: ${statusCode} ${text}`);
    const { result, error } = text.startsWith('{')
      ? JSON.parse(text)
      : JSON.parse(text.slice(text.lastIndexOf('data: ') + 6));
    if (error !== undefined) throw new Error(`${what[0]}: ${JSON.stringify(error)}`);
    return result;
  };
  /** What a tool answers, as JSON where it is. @param {string} name @param {object} [args] */
  const call = async (name, args = {}) => {
    const { content, isError } = await ask('tools/call', { name, arguments: args });
    const text = String(content.at(-1)?.text);
    if (isError === true) throw new Error(`${name}: ${text.slice(0, 300)}`);
    seen.calls++;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  /** Listens for a while, and leaves. */
  const listen = async () => {
    const what = /** @type {any} */ (
      message(
        'subscriptions/listen',
        /** @type {any} */ ({
          notifications: { toolsListChanged: true, resourceSubscriptions: ['portico://stale/plane.*'] },
        }),
      )
    );
    const { body } = await request(url, { ...what, dispatcher: via });
    const leave = setTimeout(() => body.destroy(), LISTEN_FOR_MS);
    try {
      for await (const chunk of body) seen.heard += String(chunk).split('\n\n').length - 1;
    } catch {
      // It was us who left.
    } finally {
      clearTimeout(leave);
    }
  };
  return { ask, call, listen, seen, close: () => via.close() };
};

export const day = {
  title: 'seconds of an agent’s day',
  async open() {
    const doubles = await startDoubles();
    const ledger = await startBackends();
    const policy = join(await emptyHome(), 'policy.yaml');
    await writeFile(policy, JSON.stringify(POLICY));
    const servers = { ledger: { url: `${ledger.url}/mcp`, allowPrivate: true }, tiny: tinyServer };
    const portico = await openPortico(servers, { ...doubles.env, POLICY_FILE: policy });
    const { ask, call, listen, seen, close } = agentAt(`${portico.url}/mcp`);
    const listed = async () => /** @type {{ name: string }[]} */ ((await ask('tools/list')).tools);
    const domains = ['cluster', 'dagger', 'github', 'ledger', 'n8n', 'plane', 'slack', 'task', 'tiny'];
    for (const end = performance.now() + 60_000; ; await delay(200)) {
      const tools = await listed();
      const missing = domains.filter((domain) => !tools.some(({ name }) => name.startsWith(`${domain}.`)));
      if (missing.length === 0) break;
      if (performance.now() > end) throw new Error(`not listed: ${missing.join(', ')}`);
    }

    const READS = /** @type {(() => Promise<unknown>)[]} */ ([
      () => call('cluster.pods_log', { namespace: 'shop', name: 'cart' }),
      () => call('cluster.pods_list_in_namespace', { namespace: 'shop' }),
      () => call('dagger.list_runs', { limit: 10 }),
      () => call('dagger.get_logs', { run_id: 'build-44', step: 'test' }),
      () => call('plane.get_work_item', { work_item: 'SHOP-1' }),
      () => call('n8n.list_workflows'),
      () => call('tiny.echo'),
    ]);
    let turn = 0;
    /** One call of each kind in turn; every second one is a read that the cache has. */
    const read = () => {
      const n = turn++;
      return n % 2 === 0
        ? call('ledger.read', { line: `line ${(n / 2) % CACHED_LINES}` })
        : /** @type {() => Promise<unknown>} */ (READS[((n - 1) / 2) % READS.length])();
    };
    /** What an agent changes, and whom it tells. @param {string} channel @param {string} workflow */
    const write = async (channel, workflow) => {
      const resource = 'plane:SHOP/SHOP-1';
      const { lease_id } = await call('task.acquire', { resource });
      const state = turn % 2 === 0 ? 'In Progress' : 'Todo';
      await call('plane.update_work_item', { project: 'SHOP', work_item: 'SHOP-1', state, _task: { lease_id } });
      await call('task.release', { resource, lease_id });
      await call('slack.post_message', { channel, text: `SHOP-1 is ${state}` });
      await call('n8n.trigger_workflow', { workflow_id: workflow, body: { work_item: 'SHOP-1' } });
      await call('ledger.append', { line: 'SHOP-1' });
    };
    return {
      /** @param {number} seconds */
      async run(seconds) {
        const end = performance.now() + seconds * 1_000;
        /** @param {() => Promise<unknown>} does @param {number} everyMs */
        const again = async (does, everyMs) => {
          for (; performance.now() < end; await delay(everyMs)) {
            await does().catch((error) => {
              seen.failed++;
              seen.failure ||= String(error);
            });
          }
        };
        const { channels } = await call('slack.list_channels', { name: 'incidents' });
        const { workflows } = await call('n8n.list_workflows');
        await Promise.all([
          ...Array.from({ length: READERS }, () => again(read, READ_EVERY_MS)),
          again(() => write(channels[0].id, workflows[0].workflow_id), WRITE_EVERY_MS),
          again(listed, LIST_EVERY_MS),
          again(listen, 0),
        ]);
        await delay(QUIET_AFTER_MS);
        if (seen.failed > seen.calls * MOST_FAILED)
          throw new Error(`${seen.failed} calls failed, first ${seen.failure}`);
      },
      note: () =>
        `${seen.calls} calls answered, ${seen.failed} failed${seen.failed > 0 ? ` (first ${seen.failure})` : ''}, ${seen.heard} notifications heard`,
      async close() {
        await close();
        await portico.close();
        await ledger.close();
        await doubles.close();
      },
    };
  },
};
