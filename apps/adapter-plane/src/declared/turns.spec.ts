import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

const never = new AbortController().signal;
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('[AD-11] Turns', () => {
  it('gives one turn at a time on one thing, in the order of asking, whatever becomes of those before', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const work = (name: string, fails = false) =>
      turns.take('file', never, async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const outcomes = await Promise.allSettled([work('a'), work('b', true), work('c')]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('does not hold up work on another thing', async () => {
    const turns = new Turns();
    const { opened, open } = gate();
    const held = turns.take('one', never, () => opened);
    expect(await turns.take('other', never, async () => 'done')).toBe('done');
    open();
    await held;
  });

  it('lets go of who leaves, who is passed over and passes nobody the turn early', async () => {
    const turns = new Turns();
    const { opened, open } = gate();
    const order: string[] = [];
    const first = turns.take('file', never, async () => {
      await opened;
      order.push('first');
    });
    const leaving = new AbortController();
    const second = turns.take('file', leaving.signal, async () => void order.push('second'));
    const third = turns.take('file', never, async () => void order.push('third'));
    leaving.abort();
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED', executed: 'no' });
    expect(order).toEqual([]);
    open();
    await Promise.all([first, third]);
    expect(order).toEqual(['first', 'third']);
    await expect(turns.take('file', leaving.signal, async () => 1)).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
