import { describe, expect, it } from '@jest/globals';
import { ownerOf } from './rendezvous.js';

const keys = Array.from({ length: 1_000 }, (_, n) => `server-${n}`);

describe('[UP-13] the owner of a server', () => {
  it('is the same for all, whatever order they know the instances in', () => {
    for (const key of keys) expect(ownerOf(key, ['a', 'b', 'c'])).toBe(ownerOf(key, ['c', 'a', 'b']));
    expect(ownerOf('x', [])).toBeUndefined();
    expect(ownerOf('x', ['a'])).toBe('a');
  });

  it('changes only for the share of the instance that went, and all have a fair one', () => {
    const before = keys.map((key) => ownerOf(key, ['a', 'b', 'c']));
    const after = keys.map((key) => ownerOf(key, ['a', 'b']));
    keys.forEach((_, at) => before[at] === 'c' || expect(after[at]).toBe(before[at]));
    for (const instance of ['a', 'b', 'c']) {
      expect(before.filter((owner) => owner === instance).length).toBeGreaterThan(250);
    }
  });
});
