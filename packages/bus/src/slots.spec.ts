import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

describe('slots', () => {
  it('hold what was added until it is removed, and are used again', () => {
    const slots = new Slots<{ n: number }>();
    const taken = [1, 2, 3].map((n) => slots.add({ n }));
    slots.remove(taken[1] as number);
    expect([...slots].map(({ n }) => n)).toEqual([1, 3]);
    expect(slots.at(taken[1] as number)).toBeUndefined();
    expect(slots.add({ n: 4 })).toBe(taken[1]);
    expect([slots.size, slots.at(taken[1] as number)]).toEqual([3, { n: 4 }]);
  });

  it('grow no further than what was in them at once', () => {
    const slots = new Slots<object>();
    for (let turn = 0; turn < 10_000; turn += 1) {
      const [a, b] = [slots.add({}), slots.add({})];
      expect(Math.max(a, b)).toBeLessThan(2);
      slots.remove(a);
      slots.remove(b);
    }
    expect(slots.size).toBe(0);
  });

  it('may be emptied while they are walked', () => {
    const slots = new Slots<{ slot?: number }>();
    for (let n = 0; n < 5; n += 1) {
      const item: { slot?: number } = {};
      item.slot = slots.add(item);
    }
    for (const item of slots) slots.remove(item.slot as number);
    expect([...slots]).toEqual([]);
  });
});
