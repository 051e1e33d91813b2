import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type Fault } from '@portico/contracts';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import { historyProblems } from './lease-history.js';
import type { Hold } from './lease-history.js';
import { startRuntimes } from './runtimes.js';
import type { Granted, Runtimes } from './runtimes.js';

const PAIRS = 10_000;
const AGENTS = 64;
const RESOURCES = 16;
const MINUTES = 60_000;

describe('[LE-6] 10,000 pairs of acquire and release from 64 agents on 16 resources', () => {
  it(
    'have never two holders at once in memory',
    async () => {
      const tasks = await startRuntimes();
      await contend(tasks);
      await tasks.close();
    },
    5 * MINUTES,
  );

  describeIfAvailable('redis-server', 'on Redis', () => {
    it(
      'have never two holders at once on Redis, asked through three processes’ connections',
      async () => {
        const server = await startRedisServer();
        const tasks = await startRuntimes({ redisUrl: server.url, instances: 3 });
        await contend(tasks);
        await tasks.close();
        await server.stop();
      },
      5 * MINUTES,
    );
  });
});

async function contend(tasks: Runtimes): Promise<void> {
  const history: Hold[] = [];
  let left = PAIRS;
  let refused = 0;
  let ticks = 0;
  const moment = (): number => (ticks += 1);
  const agent = async (number: number): Promise<void> => {
    const caller = { tenant: 'acme', subject: `agent-${number}`, agent: `agent-${number}` };
    for (let turn = number; left > 0; turn += 1) {
      const resource = `resource-${(turn * 7) % RESOURCES}`;
      const granted = await tasks.acquire(resource, caller).catch((error: Fault): undefined => {
        expect(error.code).toBe('CONFLICT');
        refused += 1;
      });
      if (!granted) {
        await delay(turn % 3);
        continue;
      }
      left -= 1;
      const from = moment();
      if (turn % 4 === 0) await delay(1);
      const to = moment();
      await tasks.told<Granted>('release', { resource, lease_id: granted.lease_id }, caller);
      history.push({ resource, holder: caller.subject, fence: granted.fence, from, to });
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, (_, number) => agent(number)));
  expect(history.length).toBeGreaterThanOrEqual(PAIRS);
  expect(new Set(history.map(({ resource }) => resource)).size).toBe(RESOURCES);
  // There was something to contend for.
  expect(refused).toBeGreaterThan(PAIRS / 100);
  expect(historyProblems(history)).toEqual([]);
}
