import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { describeIfAvailable, startRedisServer } from '@portico/testkit';
import { historyProblems } from './lease-history.js';
import type { Hold } from './lease-history.js';
import { startRuntimes, untilAnswered } from './runtimes.js';
import type { Runtimes } from './runtimes.js';

const AGENTS = 12;
const RESOURCES = 4;
const KILLS = 4;
const MINUTES = 60_000;

describeIfAvailable('redis-server', 'leases while Redis dies and comes back', () => {
  describe.each([
    ['with its data', true],
    ['without its data', false],
  ])('%s', (_how, keepsData) => {
    it(
      '[LE-5][LE-6] have never two holders at once, nor any that wakes up after its time',
      async () => {
        const server = await startRedisServer({ keepsData });
        const tasks = await startRuntimes({ redisUrl: server.url, instances: 2 });
        const ending = new AbortController();
        const work = workers(tasks, ending.signal);
        for (let kill = 0; kill < KILLS; kill += 1) {
          await delay(800);
          if (kill % 2 === 1) {
            server.freeze();
            await delay(200);
            server.thaw();
          }
          await server.kill();
          await delay(150);
          await server.restart();
          await untilAnswered(tasks);
        }
        await delay(1_500);
        ending.abort();
        const { history, overslept, lost } = await work;
        await tasks.close();
        await server.stop();

        expect(historyProblems(history)).toEqual([]);
        expect(history.length).toBeGreaterThan(AGENTS * 2);
        expect(overslept).toBeGreaterThan(0);
        if (!keepsData) expect(lost).toBeGreaterThan(0);
      },
      3 * MINUTES,
    );
  });
});

/** Agents that take a lease, ask before each step whether it still opens the resource, and sometimes sleep too long. */
async function workers(tasks: Runtimes, signal: AbortSignal) {
  const history: Hold[] = [];
  let ticks = 0;
  const moment = (): number => (ticks += 1);
  let overslept = 0;
  let lost = 0;
  const agent = async (number: number): Promise<void> => {
    const caller = { tenant: 'acme', subject: `agent-${number}` };
    for (let turn = 0; !signal.aborted; turn += 1) {
      const resource = `resource-${(number + turn) % RESOURCES}`;
      const sleeps = (number + turn) % 9 === 0;
      const ask = { ttl_seconds: sleeps ? 1 : 30 };
      const granted = await tasks.acquire(resource, caller, ask).catch((): undefined => undefined);
      if (!granted) {
        await delay(10 + (number % 5));
        continue;
      }
      const from = moment();
      let to = from;
      let live = true;
      for (let steps = 0; live && steps < 6;) {
        await delay(sleeps ? 1_150 : 5 + ((number * steps) % 40));
        const asked = moment();
        const verdict = await tasks.guard(resource, granted.lease_id, caller).catch((): undefined => undefined);
        // Where nobody can tell, no step is taken; the next question may be answered.
        if (verdict === undefined) continue;
        steps += 1;
        live = verdict.verdict === 'live';
        if (verdict.verdict !== 'live') continue;
        expect(verdict.fence).toBe(granted.fence);
        to = asked;
      }
      history.push({ resource, holder: caller.subject, fence: granted.fence, from, to });
      if (live) {
        const args = { resource, lease_id: granted.lease_id };
        await tasks.call('release', args, caller).catch(() => {});
        continue;
      }
      if (sleeps) overslept += 1;
      else lost += 1;
      // What it no longer holds, it never holds again.
      const later = await tasks.guard(resource, granted.lease_id, caller).catch((): undefined => undefined);
      expect(later?.verdict).not.toBe('live');
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, (_, number) => agent(number)));
  return { history, overslept, lost };
}
