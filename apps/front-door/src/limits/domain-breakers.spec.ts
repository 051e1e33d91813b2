import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { Fault, type FaultCode, callTool } from '@portico/contracts';
import { DomainBreakers } from './domain-breakers.js';

const gone = (): Promise<never> => Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'Nobody.', { executed: 'no' }));
const never = (): Promise<boolean> => Promise.resolve(false);
const fails = (code: FaultCode, executed?: 'no' | 'unknown') => (): Promise<never> =>
  Promise.reject(new Fault(code, 'No.', executed && { executed }));

describe('[FD-33] the breaker of a domain', () => {
  let breakers: DomainBreakers;
  const open = (failures = 3, resetMs = 200): void =>
    void (breakers = new DomainBreakers({ failures, resetMs }, never));
  const codeOf = (address: string, work: () => Promise<unknown>): Promise<string> =>
    breakers.run(address, work).then(
      () => 'ok',
      (error: Fault) => error.code,
    );
  const failing = async (address: string, times: number): Promise<void> => {
    for (let n = 0; n < times; n += 1) expect(await codeOf(address, gone)).toBe('BACKEND_UNAVAILABLE');
  };
  afterEach(() => breakers.close());

  it('opens after so many calls in a row that did not reach it, and then answers at once, saying when to come again', async () => {
    open(5, 60_000);
    let begun = 0;
    await failing('a', 4);
    expect(await codeOf('a', async () => begun++)).toBe('ok');
    await failing('a', 5);
    const refused = breakers.run('a', async () => begun++);
    await expect(refused).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    const { retryAfterMs } = (await refused.catch((error: unknown) => error)) as Fault;
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(begun).toBe(1);
    expect(await codeOf('b', async () => begun++)).toBe('ok');
  });

  it('is forgotten once its domain is heard, where only the bus found nobody', async () => {
    open(2, 60_000);
    const unserved = (): Promise<never> =>
      Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'Nobody.', { executed: 'no', unserved: true }));
    for (const n of [1, 2, 3]) expect([n, await codeOf('a', unserved)]).toEqual([n, 'BACKEND_UNAVAILABLE']);
    expect(await codeOf('a', () => Promise.resolve())).toBe('BACKEND_UNAVAILABLE');
    breakers.heard('b');
    expect(await codeOf('a', () => Promise.resolve())).toBe('BACKEND_UNAVAILABLE');
    breakers.heard('a');
    expect(await codeOf('a', () => Promise.resolve())).toBe('ok');
    // A domain that said so itself is alive, and says it still.
    await codeOf('a', unserved);
    await codeOf('a', gone);
    breakers.heard('a');
    expect(await codeOf('a', () => Promise.resolve())).toBe('BACKEND_UNAVAILABLE');
  });

  it('counts failures of calls that ran at once', async () => {
    open(5, 60_000);
    await Promise.all(Array.from({ length: 20 }, () => codeOf('a', gone)));
    let begun = 0;
    expect(await codeOf('a', async () => begun++)).toBe('BACKEND_UNAVAILABLE');
    expect(begun).toBe(0);
  });

  it('lets one call through when half open, and closes by its success', async () => {
    open();
    await failing('a', 3);
    await delay(260);
    let begun = 0;
    let answer = (): void => {};
    const work = async (): Promise<void> => {
      begun += 1;
      await new Promise<void>((resolve) => (answer = resolve));
    };
    const all = Array.from({ length: 20 }, () => codeOf('a', work));
    await delay(10);
    answer();
    const codes = await Promise.all(all);
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(begun).toBe(1);
    expect(await codeOf('a', async () => 'on')).toBe('ok');
  });

  it('opens again when the one call does not reach it either', async () => {
    open();
    await failing('a', 3);
    await delay(260);
    let begun = 0;
    expect(await codeOf('a', () => gone().finally(() => (begun += 1)))).toBe('BACKEND_UNAVAILABLE');
    expect(await codeOf('a', async () => (begun += 1))).toBe('BACKEND_UNAVAILABLE');
    expect(begun).toBe(1);
  });

  it.each<[FaultCode, 'no' | 'unknown' | undefined]>([
    ['INVALID_ARGUMENTS', undefined],
    ['NOT_FOUND', undefined],
    ['RATE_LIMITED', undefined],
    ['UNKNOWN_ERROR', undefined],
    ['TIMEOUT', undefined],
    ['CANCELLED', undefined],
    ['BACKEND_UNAVAILABLE', 'unknown'],
  ])('does not open by %s (executed %s), which passes as it is', async (code, executed) => {
    open();
    await failing('a', 2);
    for (let n = 0; n < 10; n += 1) expect(await codeOf('a', fails(code, executed))).toBe(code);
    expect(await codeOf('a', async () => 'on')).toBe('ok');
  });

  it('closes by a fault of the domain’s own, which it had to be reached for', async () => {
    open();
    await failing('a', 3);
    await delay(260);
    expect(await codeOf('a', fails('NOT_FOUND'))).toBe('NOT_FOUND');
    await failing('a', 2);
    expect(await codeOf('a', async () => 'on')).toBe('ok');
  });

  it('opens for a domain that nobody serves on the bus, and finds it when it comes', async () => {
    open(3, 100);
    const bus = memoryBus();
    const call = callTool('domain.echo');
    const ask = (): Promise<unknown> => bus.ask(call, { tool: 'a', arguments: {} }, { deadlineMs: 1_000 });
    await Promise.all(Array.from({ length: 3 }, () => codeOf('domain.echo', ask)));
    let asked = 0;
    expect(await codeOf('domain.echo', () => ask().finally(() => (asked += 1)))).toBe('BACKEND_UNAVAILABLE');
    expect(asked).toBe(0);
    await bus.serve(call, async () => ({ content: [] }));
    await delay(150);
    expect(await codeOf('domain.echo', ask)).toBe('ok');
    expect(await codeOf('domain.echo', ask)).toBe('ok');
    await bus.close();
  });

  it('is closed once its domain says that it is well, and waits the longer the more often that was wrong', async () => {
    let well = false;
    const asked: number[] = [];
    breakers = new DomainBreakers({ failures: 2, resetMs: 60_000 }, async (address) => {
      expect(address).toBe('a');
      asked.push(performance.now());
      if (!well) throw new Error('down');
      return well;
    });
    await failing('a', 2);
    let began: number;
    const until = async (times: number) => {
      while (asked.length < times) await delay(10);
      await delay(0);
    };
    await until(2);
    expect(await codeOf('a', () => Promise.resolve())).toBe('BACKEND_UNAVAILABLE');
    well = true;
    await until(3);
    // As if nothing had been: it takes as many failures again, and the next rest is twice as long.
    await failing('a', 2);
    began = performance.now();
    await until(4);
    expect(asked[3]! - began).toBeGreaterThan(900);
    expect(await codeOf('a', () => Promise.resolve())).toBe('ok');
    await delay(50);
    expect(asked).toHaveLength(4);
    await failing('a', 2);
    began = performance.now();
    await until(5);
    expect(asked[4]! - began).toBeLessThan(1_900);
  });
});
