import { describe, expect, it } from '@jest/globals';
import { MemoryHub, connectBus, memoryBus } from '@portico/bus';
import { call, describeBus, request } from './describe-bus.js';

describeBus('in process', () => {
  const hub = new MemoryHub();
  return Promise.resolve({ join: (log) => Promise.resolve(memoryBus({ log, hub })), end: () => Promise.resolve() });
});

describe('the bus in process', () => {
  it('is what `memory:` means, and carries a message of any size', async () => {
    const bus = await connectBus({ url: 'memory:', name: 'test' });
    expect(bus.maxPayload).toBe(Infinity);
    const text = 'x'.repeat(12_000_000);
    await bus.serve(call, async ({ arguments: { given } }) => ({ content: [{ type: 'text', text: String(given) }] }));
    const reply = await bus.ask(call, { ...request, arguments: { given: text } }, { deadlineMs: 5_000 });
    expect(reply.content?.[0]?.['text']).toBe(text);
    await bus.close();
  });

  it('passes what a contract leaves open by reference', async () => {
    const bus = memoryBus();
    const nested = { deep: true };
    let seen: unknown;
    await bus.serve(call, async ({ arguments: { given } }) => {
      seen = given;
      return { content: [], structuredContent: nested };
    });
    const reply = await bus.ask(call, { ...request, arguments: { given: nested } }, { deadlineMs: 5_000 });
    expect(seen).toBe(nested);
    expect(reply.structuredContent).toBe(nested);
    await bus.close();
  });

  it('keeps two buses without a common hub apart', async () => {
    const [one, other] = [memoryBus(), memoryBus()];
    await one.serve(call, async () => ({ content: [] }));
    await expect(other.ask(call, request, { deadlineMs: 5_000 })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
    await Promise.all([one.close(), other.close()]);
  });
});
