import { describe, expect, it } from '@jest/globals';
import { Fault, SourceAddress, sourceHealth } from '@portico/contracts';
import { measuredBus } from './measured-bus.js';
import { memoryBus } from './memory-bus.js';

describe('[OP-11] a bus that counts', () => {
  it('counts asks and answers by call and code, and what is worked on now, however a handler ends', async () => {
    const counts = new Map<string, number>();
    const count = (name: string, labels: object) => {
      const key = `${name} ${Object.values(labels).join(' ')}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    };
    let serving: () => number = () => Number.NaN;
    const bus = measuredBus(memoryBus(), {
      counter: ({ name }) => ({ with: (labels) => ({ inc: () => count(name, labels) }) }),
      histogram: ({ name }) => ({ with: (labels) => ({ observe: () => count(name, labels) }) }),
      gauge: (_measure, read) => (serving = read),
    });
    const at = sourceHealth(SourceAddress.parse('domain.one'));
    const answers = [
      async () => ({ state: 'up' as const }),
      () => Promise.reject(new Fault('NOT_FOUND', 'No.')),
      () => {
        throw new Error('at once');
      },
    ];
    const running: number[] = [];
    await bus.serve(at, (_request, _incoming) => {
      running.push(serving());
      return answers[running.length - 1]!();
    });
    for (const code of [undefined, 'NOT_FOUND', 'UNKNOWN_ERROR']) {
      const ended = await bus.ask(at, {}).then(
        () => undefined,
        (error: Fault) => error.code,
      );
      expect(ended).toBe(code);
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toEqual([1, 1, 1]);
    expect(serving()).toBe(0);
    const by = (name: string) => Object.fromEntries([...counts].filter(([key]) => key.startsWith(name)));
    for (const name of ['bus_asks_total', 'bus_served_total'])
      expect(by(name)).toEqual({
        [`${name} source.health OK`]: 1,
        [`${name} source.health NOT_FOUND`]: 1,
        [`${name} source.health UNKNOWN_ERROR`]: 1,
      });
    expect(by('bus_ask_duration')).toEqual({ 'bus_ask_duration_seconds source.health': 3 });
    expect(by('bus_serve_duration')).toEqual({ 'bus_serve_duration_seconds source.health': 3 });
    await bus.close();
  });
});
