import { describe, expect, it } from '@jest/globals';
import { prettyLine } from './pretty-line.js';

const line = (name: string, colour: boolean) =>
  prettyLine(JSON.stringify({ time: '2026-01-02T03:04:05.678Z', level: 'info', name, event: 'started' }), colour);

describe('prettyLine', () => {
  it('[OP-10] gives each service a colour of its own, where there is colour', () => {
    const colours = ['front-door', 'discovery', 'upstreams', 'semantic-cache', 'task-runtime'].map((name) => {
      const [, colour] = new RegExp(`(\\u001b\\[\\d+m)${name}\\u001b\\[0m started\\n$`).exec(line(name, true)) ?? [];
      expect(colour).toBeDefined();
      expect(line(name, true)).toContain(`${colour}${name}`);
      return colour;
    });
    expect(new Set(colours).size).toBeGreaterThan(2);
    expect(line('front-door', false)).toBe('03:04:05.678 info  front-door started\n');
  });
});
