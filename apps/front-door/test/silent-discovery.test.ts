import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { memoryBus, type Bus } from '@portico/bus';
import { discoverCatalogue } from '@portico/contracts';
import { MODERN, type OpenDoor, type RpcAnswer, openDoor } from './open-door.js';

let bus: Bus;
let door: OpenDoor;
/** Of each time that discovery was asked, whether its deadline has passed meanwhile. */
let asked: AbortSignal[];
beforeEach(async () => {
  bus = memoryBus();
  asked = [];
  await bus.serve(
    discoverCatalogue,
    (_request, { signal }) => {
      asked.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
    { drainMs: 0 },
  );
  door = await openDoor({}, { bus, discovery: false });
});
afterEach(async () => {
  await door.close();
  await bus.close();
});

describe('[FD-7] while discovery hangs', () => {
  const ownTools = ({ message }: RpcAnswer): string[] =>
    (message.result.tools as { name: string }[]).map(({ name }) => name);

  it('the first list comes before its deadline does, with what there is, not to be kept', async () => {
    const started = performance.now();
    const answer = await door.rpc('tools/list');
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(ownTools(answer)).toContain('gateway.describe');
    expect(answer.message.result.ttlMs).toBe(0);
  });

  it('every kind of list does', async () => {
    for (const method of ['prompts/list', 'resources/list', 'resources/templates/list'])
      expect((await door.rpc(method)).message.result.ttlMs).toBe(0);
    const legacy = await door.rpc('tools/list', {}, { revision: '2025-11-25' });
    expect(ownTools(legacy)).toContain('gateway.describe');
    expect(asked.length).toBeGreaterThan(0);
  });

  it.each([MODERN, '2025-11-25'])(
    'a name that is not known is answered before it too: nothing ran (%s)',
    async (revision) => {
      const { message } = await door.rpc('tools/call', { name: 'somebody.tool' }, { revision });
      const { error } = message.result._meta['portico/envelope'];
      expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no', retryable: true });
      expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    },
  );

  it.each([`${'x'.repeat(100_000)}.tool`, `somebody.${'x'.repeat(100_000)}`])(
    '[FD-23] and what is said of it is bounded',
    async (name) => {
      const { text } = await door.rpc('tools/call', { name }, { revision: '2025-11-25' });
      expect(text.length).toBeLessThan(8_192);
    },
  );

  it('and what is ours runs without asking it', async () => {
    const { message } = await door.rpc('tools/call', { name: 'gateway.describe' });
    expect(message.result.isError).toBeUndefined();
    expect(asked).toEqual([]);
  });
});
