import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { lookUpAnswer, storeAnswer } from '@portico/contracts';
import type { CacheAnswer, CacheQuestion } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig, startSemanticCache } from '@portico/semantic-cache';
import { answer, question } from './questions.js';

describe('[SC-1][SC-4] the cache with its model and its verifier', () => {
  const bus = memoryBus({ log: { info: () => {}, warn: () => {}, error: () => {} } });
  let cache: { close(): Promise<void> };
  const ask = (asked: CacheQuestion): Promise<CacheAnswer> => bus.ask(lookUpAnswer, asked, { deadlineMs: 60_000 });
  const store = (texts: string[], said: string) =>
    bus.ask(
      storeAnswer,
      { question: question({ texts }), epoch: 0, result: answer(said), ttlSeconds: 300 },
      { deadlineMs: 120_000 },
    );

  beforeAll(async () => {
    const config = readConfig({ DATABASE_URL: 'pglite:memory:' });
    cache = await startSemanticCache(bus, config, createLog({ name: 'test', level: 'silent' }));
    await store(['How do I reset my password?'], 'reset');
    await store(['Which invoices of 2024 are open?'], 'invoices');
  }, 180_000);
  afterAll(() => cache?.close());

  it.each([
    ['How do I reset my password?', 'exact', 'reset'],
    ['How can I reset my password?', 'semantic', 'reset'],
  ])('%s is answered', async (text, lane, said) => {
    expect(await ask(question({ texts: [text] }))).toMatchObject({ kind: 'hit', lane, result: answer(said) });
  });

  it.each([
    ['Which invoices of 2023 are open?', 'numbers'],
    ['How do I not reset my password?', 'negation'],
  ])('%s is not', async (text, refused) => {
    expect(await ask(question({ texts: [text] }))).toMatchObject({ kind: 'miss', refused });
  });

  it('nor is what is longer than the model reads', async () => {
    const long = Array.from({ length: 400 }, (_, n) => `word${n}`).join(' ');
    await store([long], 'long');
    expect(await ask(question({ texts: [long] }))).toMatchObject({ lane: 'exact' });
    expect(await ask(question({ texts: [`${long} more`] }))).toMatchObject({ kind: 'miss', refused: 'length' });
  });
});
