import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { connectBus } from '@portico/bus';
import { Envelope } from '@portico/contracts';
import { type Domain, defineTool, serveDomain } from '@portico/domain-kit';
import { Seeded, describeIfAvailable, startNatsWithUsers, startPostgresServer } from '@portico/testkit';
import { z } from 'zod';
import { openDoor } from './open-door.js';

/** Enough to meet each race many times; `PORTICO_HISTORY` asks for more. */
const OPERATIONS = Number(process.env['PORTICO_HISTORY'] ?? 6_000);
const CALLERS = 32;
const KEYS = 8;
const MAIN = join(import.meta.dirname, '../../semantic-cache/dist/main.js');
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeIfAvailable('pgvector', '[SC-10][SC-12][SS-9] reads and writes over two front doors', () => {
  it('never show what was true before a write that had answered, the cache killed at random moments', async () => {
    const random = new Seeded(20_261_130);
    const nats = await startNatsWithUsers();
    const postgres = await startPostgresServer({ vectors: true });
    const values = new Array<number>(KEYS).fill(0);
    const key = z
      .int()
      .min(0)
      .max(KEYS - 1);
    const domain: Domain = {
      name: 'kv',
      description: 'Numbers that are read and written.',
      version: '1.0.0',
      tools: [
        defineTool({
          name: 'get',
          description: 'Reads.',
          input: z.strictObject({ key }),
          effect: 'read',
          cache: {},
          handle: async (args) => {
            const value = values[args.key];
            await pause(random.below(4));
            return { value };
          },
        }),
        defineTool({
          name: 'set',
          description: 'Writes.',
          input: z.strictObject({ key }),
          effect: 'write',
          invalidates: ['kv.get'],
          handle: async (args) => {
            await pause(random.below(3));
            const value = (values[args.key] = (values[args.key] ?? 0) + 1);
            await pause(random.below(3));
            return { value };
          },
        }),
      ],
    };
    let service: ChildProcess | undefined;
    const start = () => {
      service = spawn(process.execPath, [MAIN], {
        env: {
          PATH: process.env['PATH'],
          BUS_URL: nats.urlOf('semantic-cache'),
          DATABASE_URL: postgres.url,
          LOG_LEVEL: 'error',
        },
        stdio: 'ignore',
      });
    };
    const kill = async () => {
      const ending = service;
      if (ending === undefined || ending.exitCode !== null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGKILL');
      await ended;
    };
    const buses = await Promise.all([1, 2, 3].map(() => connectBus({ url: nats.urlOfAnybody, name: 'front-door' })));
    const [one, two, behind] = buses as [(typeof buses)[0], (typeof buses)[0], (typeof buses)[0]];
    const doors = [
      await openDoor({ CACHE_BUDGET_MS: '100' }, { bus: one }),
      await openDoor({ CACHE_BUDGET_MS: '100' }, { bus: two, discovery: false }),
    ];
    const served = await serveDomain(behind, domain, { instance: 'kv-1' });
    const origins = new Map<string, number>();
    const hits = (): number => origins.get('exact') ?? 0;
    let stale = 0;
    let kills = 0;
    let running = true;
    try {
      start();
      for (const door of doors) await door.rpc('tools/list');
      const killer = (async () => {
        while (running) {
          // Once it has answered since it was started: killed while it starts, it would never have been there.
          for (const before = hits(); running && hits() < before + 20;) await pause(50);
          await pause(random.below(1_500));
          if (!running) return;
          await kill();
          kills += 1;
          await pause(random.below(800));
          start();
        }
      })();
      /** Of each key, the newest value that a write has answered with. */
      const answered = new Array<number>(KEYS).fill(0);
      let left = OPERATIONS;
      const end = performance.now() + 120_000;
      const caller = async () => {
        // So many, and until it was killed a few times, but not for ever.
        while (left-- > 0 || (kills < 3 && performance.now() < end)) {
          const at = random.below(KEYS);
          const name = random.chance(0.02) ? 'kv.set' : 'kv.get';
          const floor = answered[at] ?? 0;
          const { message } = await random.pick(doors).rpc('tools/call', { name, arguments: { key: at } });
          const envelope = Envelope.parse(message.result._meta['portico/envelope']);
          expect(envelope.error).toBeNull();
          const { value } = JSON.parse(message.result.content.at(-1).text) as { value: number };
          if (value < floor) stale += 1;
          if (name === 'kv.set') answered[at] = Math.max(answered[at] ?? 0, value);
          else origins.set(envelope.meta.served_from, (origins.get(envelope.meta.served_from) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      running = false;
      await killer;
    } finally {
      running = false;
      await kill();
      await served.close();
      for (const door of doors) await door.close();
      for (const bus of buses) await bus.close();
      await postgres.stop();
      await nats.stop();
    }
    expect(stale).toBe(0);
    // The history tells something only if the cache answered at times, and was gone at others.
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(hits()).toBeGreaterThan(60);
    expect(origins.get('backend') ?? 0).toBeGreaterThan(0);
  }, 600_000);
});
