import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import { type SourceService, serveSource } from '@portico/domain-kit';
import { type OpenDoor, type RpcAnswer, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A source that can be asked in all four ways, and does with each request what `world` says. */
const allWays = (name: string) => {
  const world = { asked: 0, act: (): Promise<void> | void => undefined };
  const acting =
    <Result>(result: Result) =>
    async (): Promise<Result> => {
      world.asked += 1;
      await world.act();
      return result;
    };
  const service: SourceService = plainSource(name, ['tool'], {
    lists: {
      prompts: [{ name: 'prompt' }],
      resources: [{ name: 'one', uri: `${name}://one` }],
      resourceTemplates: [{ name: 'any', uriTemplate: `${name}://any/{id}` }],
    },
    callTool: acting({ content: [] }),
    getPrompt: acting({ messages: [] }),
    readResource: acting({ contents: [] }),
    complete: acting({ completion: { values: [] } }),
  });
  return { world, service };
};
const WAYS = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'] as const;
type Way = (typeof WAYS)[number];
const ask = (door: OpenDoor, way: Way, name: string): Promise<RpcAnswer> => {
  switch (way) {
    case 'tools/call':
      return door.rpc(way, { name: `${name}.tool`, arguments: {} });
    case 'prompts/get':
      return door.rpc(way, { name: `${name}.prompt` });
    case 'resources/read':
      return door.rpc(way, { uri: `${name}://one` });
    case 'completion/complete':
      return door.rpc(way, {
        ref: { type: 'ref/resource', uri: `${name}://any/{id}` },
        argument: { name: 'id', value: '1' },
      });
  }
};
/** What went wrong, by whichever of its two shapes the answer has. */
const errorOf = ({ message }: RpcAnswer) =>
  message.error === undefined ? message.result._meta['portico/envelope']?.error : message.error.data;
const codeOf = (answer: RpcAnswer): string | undefined => errorOf(answer)?.code;

const doorTo = async (env: Record<string, string>) => {
  const door = await openDoor(env);
  closers.push(() => door.close());
  const [one, other] = [allWays('one'), allWays('other')];
  for (const { service } of [one, other]) {
    const served = await serveSource(door.bus, service, { instance: service.address });
    closers.push(() => served.close());
  }
  await door.rpc('tools/list');
  for (const way of WAYS) expect([way, codeOf(await ask(door, way, 'one'))]).toEqual([way, undefined]);
  one.world.asked = 0;
  return { door, world: one.world };
};
const until = async (holds: () => boolean): Promise<void> => {
  for (let n = 0; n < 500 && !holds(); n += 1) await delay(10);
  expect(holds()).toBe(true);
};

describe.each(WAYS)('[FD-33] a domain that is asked by %s', (way) => {
  it('and hangs holds so many of them, is asked no more in any way, and leaves other domains alone', async () => {
    const { door, world } = await doorTo({ DOMAIN_CONCURRENCY_LIMIT: '3' });
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    world.act = () => gate;
    const running = Array.from({ length: 3 }, () => ask(door, way, 'one'));
    await until(() => world.asked === 3);
    for (const each of WAYS) {
      const refused = await ask(door, each, 'one');
      expect([each, errorOf(refused)]).toMatchObject([each, { code: 'RATE_LIMITED', retry_after_ms: 1_000 }]);
      expect(codeOf(await ask(door, each, 'other'))).toBeUndefined();
    }
    expect(world.asked).toBe(3);
    release();
    for (const answer of await Promise.all(running)) expect(codeOf(answer)).toBeUndefined();
    expect(codeOf(await ask(door, way, 'one'))).toBeUndefined();
  });

  it('gives its place back when the request fails', async () => {
    const { door, world } = await doorTo({ DOMAIN_CONCURRENCY_LIMIT: '1' });
    world.act = () => Promise.reject(new Fault('CONFLICT', 'Somebody was faster.'));
    for (let n = 0; n < 3; n += 1) expect(codeOf(await ask(door, way, 'one'))).toBe('CONFLICT');
  });

  it('and can not be reached is asked BREAKER_FAILURES times, then no more in any way', async () => {
    const { door, world } = await doorTo({ BREAKER_FAILURES: '3', BREAKER_RESET_SECS: '60' });
    world.act = () => Promise.reject(new Fault('BACKEND_UNAVAILABLE', 'Its backend is down.', { executed: 'no' }));
    for (let n = 0; n < 3; n += 1) {
      const error = errorOf(await ask(door, way, 'one'));
      expect(error.code).toBe('BACKEND_UNAVAILABLE');
      // Only an open breaker knows when to come again.
      expect(error.retry_after_ms).toBeUndefined();
    }
    for (const each of WAYS) {
      const error = errorOf(await ask(door, each, 'one'));
      expect([each, error.code]).toEqual([each, 'BACKEND_UNAVAILABLE']);
      expect(error.retry_after_ms).toBeGreaterThan(0);
      expect(error.retry_after_ms).toBeLessThanOrEqual(60_000);
      expect(codeOf(await ask(door, each, 'other'))).toBeUndefined();
    }
    expect(world.asked).toBe(3);
  });
});
