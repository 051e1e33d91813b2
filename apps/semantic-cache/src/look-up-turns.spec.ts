import { describe, expect, it } from '@jest/globals';
import { LookUpTurns } from './look-up-turns.js';

/** Work that ends when it is told to. */
const held = () => {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { end, work: () => ended };
};
const yes = (): boolean => true;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('[SC-12] LookUpTurns', () => {
  it('works at so many at a time, and those who wait in their order', async () => {
    const turns = new LookUpTurns(2, 10);
    const order: string[] = [];
    const [one, two] = [held(), held()];
    const running = [turns.run(yes, one.work), turns.run(yes, two.work)];
    for (const name of ['a', 'b', 'c']) running.push(turns.run(yes, async () => void order.push(name)));
    await settled();
    expect(order).toEqual([]);
    one.end();
    await settled();
    expect(order).toEqual(['a', 'b', 'c']);
    two.end();
    await Promise.all(running);
    expect(await turns.run(yes, async () => 'free')).toBe('free');
  });

  it('does nothing for who has no time left, and refuses when too many wait', async () => {
    const turns = new LookUpTurns(1, 2);
    const one = held();
    const first = turns.run(yes, one.work);
    let live = true;
    let done = 0;
    const some = [0, 1].map(() =>
      turns.run(
        () => live,
        async () => void (done += 1),
      ),
    );
    const outcomes = Promise.all(some.map((asked) => asked.catch((error: { code: string }) => error.code)));
    await expect(turns.run(yes, one.work)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    live = false;
    // Those who have no time left make room.
    const late = turns.run(yes, async () => 'in time');
    expect(await outcomes).toEqual(['TIMEOUT', 'TIMEOUT']);
    one.end();
    expect(await late).toBe('in time');
    await first;
    expect(done).toBe(0);
  });

  it('hands a place on when the work fails', async () => {
    const turns = new LookUpTurns(1, 2);
    const failing = turns.run(yes, async () => {
      throw new Error('broken');
    });
    const next = turns.run(yes, async () => 'served');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('served');
  });
});
