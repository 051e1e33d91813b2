import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Bus, memoryBus } from '@portico/bus';
import { receiptsWritten } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { MemoryReceipts } from './memory-receipts.js';
import { Receipts } from './receipts.js';

describe('[FD-19] receipts', () => {
  let bus: Bus;
  let receipts: Receipts;
  let lines: string[];
  let told: number[][];
  beforeEach(async () => {
    bus = memoryBus();
    lines = [];
    told = [];
    const log = createLog({ name: 'test', format: 'json', write: (line) => void lines.push(line) });
    await bus.listen(receiptsWritten, (written) => void told.push(written.receipts.map(({ seq }) => seq)));
    receipts = new Receipts(bus, log, await MemoryReceipts.open(bus, 'here'), 'here');
  });
  afterEach(() => bus.close());
  const context = { correlationId: 'c', principal: { tenant: 't', subject: 's' } };
  const write = (): void =>
    receipts.write({ domain: 'd', tool: 't' }, context, { code: 'OK', executed: 'yes' }, 1, 'backend');
  const seqs = async (): Promise<number[]> => (await receipts.newest('t')).map(({ seq }) => seq);

  it('of many turns of the event loop are written in few goes, each once and in their order', async () => {
    const all = Array.from({ length: 300 }, (_, index) => index + 1);
    for (const _ of all) {
      write();
      await turn();
    }
    while (told.flat().length < all.length) await turn();
    expect(told.flat()).toEqual(all);
    expect(told.length).toBeLessThan(150);
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(all);
    await receipts.close();
  });

  it('are all there for whoever asks, and at the end, without a wait', async () => {
    write();
    expect(await seqs()).toEqual([1]);
    expect(lines).toHaveLength(1);
    write();
    await receipts.close();
    expect(lines).toHaveLength(2);
  });

  it('do not gather without end', async () => {
    for (let n = 0; n < 2_500; n += 1) write();
    // Nothing had its turn yet.
    expect(lines).toHaveLength(2_000);
    await receipts.close();
    expect(lines).toHaveLength(2_500);
  });
});
