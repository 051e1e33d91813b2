import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Fault, invalidateAnswers } from '@portico/contracts';
import { type Domain, defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import { openDoor } from './open-door.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A door, and a count of what the cache behind it is told to drop. */
const shopDoor = async (env: Record<string, string>, act: () => Promise<string>) => {
  const door = await openDoor({ CACHE_BUDGET_MS: '2000', ...env });
  closers.push(() => door.close());
  let ran = 0;
  const set = defineTool({
    name: 'set',
    description: 'Changes what shop.get reads.',
    input: z.strictObject({}),
    effect: 'write',
    invalidates: ['shop.get'],
    handle: () => {
      ran += 1;
      return act();
    },
  });
  const shop: Domain = { name: 'shop', description: 'A shop.', version: '1.0.0', callTimeoutMs: 5_000, tools: [set] };
  await door.serve(shop);
  await door.rpc('tools/list');
  let invalidations = 0;
  const cache = await door.bus.serve(invalidateAnswers, () => {
    invalidations += 1;
    return Promise.resolve({ erased: 0, epoch: 1 });
  });
  closers.push(() => cache.close());
  return {
    ran: () => ran,
    invalidations: () => invalidations,
    set: async (): Promise<string | undefined> => {
      const { message } = await door.rpc('tools/call', { name: 'shop.set', arguments: {} });
      return message.result._meta['portico/envelope'].error?.code;
    },
  };
};

describe('[SC-10][FD-33] a mutation that was turned away before it was sent makes nothing stale', () => {
  it('by an open breaker; those that were sent to a backend that was not there do, as nobody can tell', async () => {
    const shop = await shopDoor({ BREAKER_FAILURES: '2', BREAKER_RESET_SECS: '60' }, () =>
      Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'Its backend is down.', { executed: 'no' })),
    );
    for (let n = 0; n < 2; n += 1) expect(await shop.set()).toBe('BACKEND_UNAVAILABLE');
    expect([shop.ran(), shop.invalidations()]).toEqual([2, 2]);
    for (let n = 0; n < 3; n += 1) expect(await shop.set()).toBe('BACKEND_UNAVAILABLE');
    expect([shop.ran(), shop.invalidations()]).toEqual([2, 2]);
  });

  it('by a full bulkhead; the one that runs does, however it ends', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const shop = await shopDoor({ DOMAIN_CONCURRENCY_LIMIT: '1' }, async () => {
      await gate;
      throw new Fault('CONFLICT', 'Somebody was faster.');
    });
    const running = shop.set();
    for (let n = 0; n < 500 && shop.ran() === 0; n += 1) await delay(10);
    for (let n = 0; n < 3; n += 1) expect(await shop.set()).toBe('RATE_LIMITED');
    expect([shop.ran(), shop.invalidations()]).toEqual([1, 0]);
    release();
    expect(await running).toBe('CONFLICT');
    expect([shop.ran(), shop.invalidations()]).toEqual([1, 1]);
  });
});
