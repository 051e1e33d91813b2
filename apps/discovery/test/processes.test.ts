import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import { discoverSource, rollCall } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { describeIfAvailable, startNatsWithUsers, startRedisServer } from '@portico/testkit';
import { catalogueOf, eventually, openSource } from './sources.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const log = createLog({ name: 'test', level: 'silent' });

describeIfAvailable('redis-server', 'two processes of discovery', () => {
  describeIfAvailable('nats-server', 'on one NATS and one Redis', () => {
    it('[DI-4] make one probe for 1,000 concurrent first requests', async () => {
      execFileSync(process.execPath, [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '-b',
        join(ROOT, 'apps/discovery'),
      ]);
      const home = mkdtempSync(join(tmpdir(), 'portico-processes-'));
      const [nats, redis] = await Promise.all([startNatsWithUsers(), startRedisServer()]);
      const bus = await connectBus({ url: nats.urlOfAnybody, name: 'front-door', log });
      const serving = await connectBus({ url: nats.urlOf('upstreams'), name: 'upstreams', log });
      let started = 0;
      await bus.listen(rollCall, () => void started++);
      const source = await openSource(serving, 'upstream.a', async () => {
        await delay(100);
        return catalogueOf('a');
      });
      const processes = [1, 2].map((n) =>
        spawn(process.execPath, [join(ROOT, 'apps/discovery/dist/main.js')], {
          cwd: home,
          env: {
            PATH: process.env['PATH'],
            BUS_URL: nats.urlOf('discovery'),
            REDIS_URL: redis.url,
            PORTICO_HOME: join(home, `${n}`),
            LOG_LEVEL: 'error',
          },
          stdio: 'ignore',
        }),
      );
      const ended = processes.map((child) => new Promise<number | null>((done) => child.once('exit', done)));
      try {
        await eventually(() => expect(started).toBe(2));
        await delay(100);
        const ask = () => bus.ask(discoverSource, { source: 'upstream.a' });
        const answers = await Promise.all(Array.from({ length: 1_000 }, ask));
        expect(new Set(answers.map(({ tools }) => tools[0]?.definition.name))).toEqual(new Set(['a']));
        expect(source.asked).toBe(1);
        expect(nats.refused()).toEqual([]);
      } finally {
        for (const child of processes) child.kill('SIGTERM');
        expect(await Promise.all(ended)).toEqual([0, 0]);
        await source.close();
        await Promise.all([bus.close(), serving.close()]);
        await Promise.all([nats.stop(), redis.stop()]);
        rmSync(home, { recursive: true, force: true });
      }
    }, 120_000);
  });
});
