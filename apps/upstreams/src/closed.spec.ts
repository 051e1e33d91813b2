import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { closeInTurn, closeTogether } from './closed.js';

const closing = (events: string[], name: string, { ms = 0, fails = false } = {}) => ({
  close: async () => {
    events.push(`${name} begins`);
    await delay(ms);
    events.push(`${name} ends`);
    if (fails) throw new Error(`${name} failed`);
  },
});

describe('what is closed', () => {
  it('in turn goes on after one that fails, and says so when all have ended', async () => {
    const events: string[] = [];
    const all = [
      closing(events, 'a', { fails: true }),
      closing(events, 'b', { ms: 5, fails: true }),
      closing(events, 'c'),
    ];
    await expect(closeInTurn(all)).rejects.toThrow('a failed');
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('together waits for those that are slower than one that fails', async () => {
    const events: string[] = [];
    const all = [closing(events, 'a', { ms: 20 }), closing(events, 'b', { fails: true })];
    await expect(closeTogether(all)).rejects.toThrow('b failed');
    expect(events).toEqual(['a begins', 'b begins', 'b ends', 'a ends']);
  });
});
