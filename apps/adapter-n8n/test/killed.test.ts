import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { sourceHealth } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { AskedDomain, type NatsServer, describeIfAvailable, startNatsServer } from '@portico/testkit';
import { N8nDouble } from './n8n-double.js';
import { closedWebhook, webhook } from './n8n-workflows.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const KEY = 'n8n-key-0001';

describeIfAvailable('nats-server', 'an adapter that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-killed-'));
  let nats: NatsServer;
  let n8n: N8nDouble;
  let bus: Bus;
  let adapter: ChildProcess | undefined;
  const startAdapter = async () => {
    adapter = spawn(process.execPath, [join(ROOT, 'apps/adapter-n8n/dist/main.js')], {
      cwd: folder,
      env: { BUS_URL: nats.url, N8N_URL: n8n.url, N8N_API_KEY: KEY },
      stdio: 'ignore',
    });
    for (const end = Date.now() + 20_000; ; await sleep(50)) {
      const state = await bus.ask(sourceHealth('domain.n8n'), {}, { deadlineMs: 5_000 }).catch(() => undefined);
      if (state?.state === 'up') return;
      if (Date.now() > end) throw new Error('The adapter does not answer.');
    }
  };
  beforeAll(async () => {
    // What is killed is the build: it has to be the present one.
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', 'apps/adapter-n8n'], {
      cwd: ROOT,
    });
    nats = await startNatsServer();
    n8n = await N8nDouble.start();
    n8n.keys.add(KEY);
    bus = await connectBus({ url: nats.url, name: 'test', log: createLog({ name: 'test', level: 'silent' }) });
  }, 180_000);
  afterAll(async () => {
    adapter?.kill('SIGKILL');
    await bus.close();
    await n8n.close();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['n8n.trigger_workflow', 'n8n.activate_workflow', 'n8n.create_workflow'])(
    '[AD-3] in the middle of %s has sent it once, and its caller is told that nobody knows',
    async (name) => {
      const tool = name.replace('n8n.', '');
      const { id } = n8n.workflow('Orders', [webhook()], { tags: ['mcp'], active: true });
      const idle = n8n.workflow('Idle', [closedWebhook('idle')]).id;
      const args = {
        trigger_workflow: { workflow_id: id, body: {} },
        activate_workflow: { workflow_id: idle },
        create_workflow: {
          name: 'Made',
          nodes: [closedWebhook('made')].map(({ name, type, parameters, typeVersion }) => ({
            name,
            type,
            typeVersion,
            parameters,
          })),
        },
      }[tool]!;
      await startAdapter();
      const before = n8n.requests.length;
      const writes = () => n8n.requests.slice(before).filter(({ method }) => method !== 'GET');
      // What is read before is answered; what is written is not.
      n8n.faults.push(...(tool === 'create_workflow' ? [] : [undefined]), () => {});
      const fault = new AskedDomain(bus, 'domain.n8n').fault(tool, args, { deadlineMs: 2_500 });
      while (writes().length === 0) await n8n.arrived();
      const gone = once(adapter!, 'exit');
      adapter!.kill('SIGKILL');
      await gone;
      expect(await fault).toMatchObject({
        executed: 'unknown',
        code: expect.stringMatching(/^(TIMEOUT|BACKEND_UNAVAILABLE)$/),
      });
      await startAdapter();
      expect(writes()).toHaveLength(1);
      adapter!.kill('SIGKILL');
      n8n.records.workflows.length = 0;
    },
    60_000,
  );
});
