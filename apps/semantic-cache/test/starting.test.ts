import { mkdtemp, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { invalidateAnswers, lookUpAnswer, storeAnswer } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { readConfig, startSemanticCache } from '@portico/semantic-cache';
import { answer, question } from './questions.js';

const PATIENT = 120_000;

describe('[SC-12] starting', () => {
  let home: string;
  const bus = memoryBus({ log: { info: () => {}, warn: () => {}, error: () => {} } });
  const log = createLog({ name: 'test', level: 'silent' });
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'portico-cache-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it(
    'starts nothing before it is needed; until the store is up it is a miss, and what comes meanwhile is stored',
    async () => {
      const cache = await startSemanticCache(bus, readConfig({ PORTICO_HOME: home }), log);
      await expect(stat(join(home, 'data'))).rejects.toMatchObject({ code: 'ENOENT' });
      const asked = question();
      const began = performance.now();
      expect(await bus.ask(lookUpAnswer, asked)).toEqual({ kind: 'miss', epoch: 0 });
      expect(performance.now() - began).toBeLessThan(1_000);
      const kept = bus.ask(
        storeAnswer,
        { question: asked, epoch: 0, result: answer('early'), ttlSeconds: 300 },
        { deadlineMs: 100_000 },
      );
      const dropped = bus.ask(invalidateAnswers, { tenant: 'other', patterns: ['**'] }, { deadlineMs: 100_000 });
      expect(await dropped).toEqual({ erased: 0, epoch: 1 });
      expect(await kept).toEqual({ stored: true });
      expect(await bus.ask(lookUpAnswer, asked)).toMatchObject({ kind: 'hit', result: answer('early') });
      await cache.close();

      // It is there after a restart, too, and can be dropped before it was ever looked up.
      const again = await startSemanticCache(bus, readConfig({ PORTICO_HOME: home }), log);
      expect(
        await bus.ask(invalidateAnswers, { tenant: 'acme', patterns: ['wiki.*'] }, { deadlineMs: 100_000 }),
      ).toEqual({
        erased: 1,
        epoch: 1,
      });
      await again.close();
    },
    PATIENT,
  );

  it(
    'a store that can not be opened stops neither the start nor a call',
    async () => {
      await mkdir(join(home, 'data'));
      await writeFile(join(home, 'data', 'PG_VERSION'), '18\n');
      const cache = await startSemanticCache(bus, readConfig({ PORTICO_HOME: home }), log);
      const outcome = (): Promise<string> =>
        bus.ask(lookUpAnswer, question()).then(
          ({ kind }) => kind,
          (error: { code: string }) => error.code,
        );
      expect(await outcome()).toBe('miss');
      const kept = await bus.ask(
        storeAnswer,
        { question: question(), epoch: 0, result: answer('x'), ttlSeconds: 300 },
        { deadlineMs: 100_000 },
      );
      expect(kept).toEqual({ stored: false });
      expect(await outcome()).toBe('BACKEND_UNAVAILABLE');
      await cache.close();
    },
    PATIENT,
  );

  it('is not there when it is off', async () => {
    const cache = await startSemanticCache(bus, readConfig({ PORTICO_HOME: home, SEMANTIC_CACHE: 'off' }), log);
    await expect(bus.ask(lookUpAnswer, question())).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
    await cache.close();
  });
});
