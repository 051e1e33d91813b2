import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readConfig, startAdapterSlack } from '@portico/adapter-slack';
import { connectBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { checkSlack } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { AskedDomain, type NatsServer, SlackDouble, describeIfAvailable, startNatsServer } from '@portico/testkit';

const ROOT = resolve(import.meta.dirname, '../../..');

describeIfAvailable('nats-server', 'a bridge that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-killed-'));
  let nats: NatsServer;
  let slack: SlackDouble;
  let bus: Bus;
  let adapter: { close(): Promise<void> };
  let bridge: ChildProcess | undefined;
  const startBridge = async () => {
    bridge = spawn(process.execPath, [join(ROOT, 'apps/slack-bridge/dist/main.js')], {
      cwd: folder,
      env: { BUS_URL: nats.url, SLACK_BOT_TOKEN: SlackDouble.TOKEN, SLACK_API_URL: slack.apiUrl },
      stdio: 'ignore',
    });
    for (const end = Date.now() + 20_000; ; await sleep(50)) {
      const isThere = await bus.ask(checkSlack, {}, { deadlineMs: 5_000 }).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      if (Date.now() > end) throw new Error('The bridge does not answer.');
    }
  };
  const killBridge = async () => {
    const gone = once(bridge!, 'exit');
    bridge!.kill('SIGKILL');
    await gone;
  };
  beforeAll(async () => {
    // What is killed is the build: it has to be the present one.
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', 'apps/slack-bridge'], {
      cwd: ROOT,
    });
    nats = await startNatsServer();
    slack = await SlackDouble.start();
    const log = createLog({ name: 'test', level: 'silent' });
    bus = await connectBus({ url: nats.url, name: 'test', log });
    adapter = await startAdapterSlack(bus, readConfig({ SLACK_BOT_TOKEN: 'x' })!, log);
    await startBridge();
  }, 180_000);
  afterAll(async () => {
    bridge?.kill('SIGKILL');
    await adapter.close();
    await bus.close();
    await slack.close();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[AD-17] while it posts leaves one message at most, and its caller is told that nobody knows', async () => {
    const domain = new AskedDomain(bus, 'domain.slack');
    const post = { channel: slack.channels['incidents']!, text: 'only once' };
    const posts = () => slack.methods.filter((method) => method === 'chat.postMessage').length;
    await domain.call('read_channel', { channel: post.channel });
    const arrived = slack.proxy.arrived();
    slack.proxy.faults.push(async (_response, real) => void (await real()));
    const fault = domain.fault('post_message', post, { deadlineMs: 2_000 });
    await arrived;
    await killBridge();
    expect(await fault).toMatchObject({
      executed: 'unknown',
      code: expect.stringMatching(/^(TIMEOUT|BACKEND_UNAVAILABLE)$/),
    });
    // Where there is none, nothing is waited for, and nothing was done.
    expect(await domain.fault('post_message', post)).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    await startBridge();
    expect(posts()).toBe(1);
    expect((await slack.texts('incidents')).filter((text) => text === post.text)).toHaveLength(1);
    await domain.call('post_message', { ...post, text: 'well again' });
    expect(posts()).toBe(2);
  }, 60_000);
});
