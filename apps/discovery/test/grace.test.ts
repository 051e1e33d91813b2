import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import { Room } from './room.js';
import { catalogueOf, eventually, hang } from './sources.js';

const broken = (): Promise<never> => Promise.reject(new Error('garbage'));

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});
afterEach(() => room.close());

const folder = (): string => join(room.home, 'documents', 'catalogues');
const files = (): string[] => readdirSync(folder()).map((name) => join(folder(), name));
const written = (count = 1): Promise<void> => eventually(() => expect(files()).toHaveLength(count));
/** Changes what is written of the only source. */
const rewrite = (change: (value: Record<string, unknown>) => unknown): void => {
  const [file] = files();
  const document = JSON.parse(readFileSync(file!, 'utf8')) as { value: Record<string, unknown> };
  writeFileSync(file!, JSON.stringify({ ...document, value: change(document.value) }));
};

describe('[DI-7] after its time', () => {
  it('a catalogue is served while its source fails, then not, with since when; and again when it is back', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover({
      MCP_DISCOVERY_CACHE_TTL_SECS: '0.05',
      MCP_DISCOVERY_GRACE_SECS: '1',
      BREAKER_FAILURES: '100',
    });
    await room.tools('upstream.a');
    await eventually(() => expect(room.changes).toHaveLength(1));
    source.answer = broken;
    await delay(60);
    expect(await room.tools('upstream.a')).toEqual(['a']);
    await eventually(async () =>
      expect(await room.summary('upstream.a')).toMatchObject({ state: 'stale', error: 'invalid_response' }),
    );
    expect(await room.tools('upstream.a')).toEqual(['a']);
    expect(room.changes).toHaveLength(1);

    // Told without anybody asking.
    await eventually(() => expect(room.changes).toHaveLength(2));
    const summary = await room.summary('upstream.a', false);
    expect(summary).toEqual({
      source: 'upstream.a',
      state: 'unavailable',
      error: 'invalid_response',
      since: expect.any(String),
    });
    expect(Date.now() - Date.parse(summary!.since!)).toBeLessThan(10_000);
    // Failing once more is no reason to say that it began just now.
    await expect(room.tools('upstream.a')).rejects.toBeInstanceOf(Fault);
    expect((await room.summary('upstream.a', false))?.since).toBe(summary!.since);

    source.answer = () => catalogueOf('a');
    expect(await room.tools('upstream.a')).toEqual(['a']);
    await eventually(() => expect(room.changes).toHaveLength(3));
  }, 20_000);

  it('the grace counts from the first failure, however often it fails meanwhile', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover({
      MCP_DISCOVERY_CACHE_TTL_SECS: '0',
      MCP_DISCOVERY_GRACE_SECS: '0.5',
      BREAKER_FAILURES: '1000',
    });
    await room.tools('upstream.a');
    source.answer = broken;
    expect(await room.tools('upstream.a')).toEqual(['a']);
    await eventually(async () => {
      await delay(50);
      await expect(room.tools('upstream.a')).rejects.toBeInstanceOf(Fault);
    });
  });

  it('nobody takes one away that only nobody has asked for', async () => {
    await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0.01', MCP_DISCOVERY_GRACE_SECS: '0.01' });
    await room.tools('upstream.a');
    await delay(600);
    expect(await room.summary('upstream.a', false)).toMatchObject({ state: 'stale', revision: expect.any(String) });
  });

  it('without grace it lives its TTL, and no longer than its source fails', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '600', MCP_DISCOVERY_GRACE_SECS: '0' });
    await room.tools('upstream.a');
    source.answer = broken;
    source.changed();
    await eventually(async () => expect((await room.summary('upstream.a', false))?.error).toBe('invalid_response'));
    expect((await room.summary('upstream.a', false))?.state).toBe('stale');
  });
});

describe('[DI-7] the last known good catalogue', () => {
  it('is there as stale at once after a restart, and nothing is asked by the start', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a', 'b'));
    const first = await room.discover();
    await room.tools('upstream.a');
    const before = await room.summary('upstream.a');
    await written();
    await first.close();

    await room.discover();
    expect(await room.summary('upstream.a', false)).toMatchObject({ state: 'stale', revision: before!.revision! });
    await delay(200);
    expect(source.asked).toBe(1);
    source.answer = hang;
    expect(await room.tools('upstream.a')).toEqual(['a', 'b']);
    await eventually(() => expect(source.asked).toBe(2));
    expect(await room.tools('upstream.a')).toEqual(['a', 'b']);
  });

  it('is there though its source has not come back yet', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    const first = await room.discover();
    await room.tools('upstream.a');
    await written();
    await first.close();
    await source.close();

    await room.discover();
    expect((await room.summary('upstream.a'))?.state).toBe('stale');
    expect(await room.tools('upstream.a')).toEqual(['a']);
    // By then it should have been heard.
    await eventually(async () => expect(await room.health('upstream.a')).toMatchObject({ state: 'down' }));
    expect(await room.tools('upstream.a')).toEqual(['a']);
    const again = await room.source('upstream.a', () => catalogueOf('a'));
    await eventually(async () => expect((await room.summary('upstream.a'))?.state).toBe('fresh'));
    expect(again.asked).toBe(1);
  });

  it('of a source that said bye is not shown before it comes again, and then at once', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    const first = await room.discover();
    await room.tools('upstream.a');
    await written();
    await source.close();
    await eventually(async () => expect(await room.summaries()).toEqual([]));
    await first.close();

    await room.discover();
    expect(await room.summaries()).toEqual([]);
    await room.source('upstream.a', hang);
    expect(await room.summary('upstream.a')).toMatchObject({ state: 'stale', revision: expect.any(String) });
    expect(await room.tools('upstream.a')).toEqual(['a']);
  });

  it('of a source that said bye and comes again while it can not be reached is served, unless it is another one', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover();
    await room.tools('upstream.a');
    await source.close();
    await eventually(async () => expect(await room.summaries()).toEqual([]));
    const again = await room.source('upstream.a', broken);
    await eventually(async () =>
      expect(await room.summary('upstream.a')).toMatchObject({ state: 'stale', error: 'invalid_response' }),
    );
    expect(await room.tools('upstream.a')).toEqual(['a']);
    await again.close();
    await eventually(async () => expect(await room.summaries()).toEqual([]));
    await room.source('upstream.a', broken, { configuration: 'another' });
    await eventually(async () => expect((await room.summary('upstream.a'))?.state).toBe('unavailable'));
  });

  it('of a source that said bye and came again is shown after a restart, though that has not come yet', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    const first = await room.discover();
    await room.tools('upstream.a');
    await written();
    await source.close();
    await eventually(async () => expect(await room.summaries()).toEqual([]));
    const again = await room.source('upstream.a', () => catalogueOf('a'));
    await eventually(async () => expect(await room.tools('upstream.a')).toEqual(['a']));
    await first.close();
    await again.close();
    await room.discover();
    expect(await room.summary('upstream.a', false)).toMatchObject({ state: 'stale' });
  });

  it('of a source that does not come back is shown for a while, and no longer', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    const first = await room.discover();
    await room.tools('upstream.a');
    await written();
    await first.close();
    await source.close();
    await room.discover({ MCP_DISCOVERY_GRACE_SECS: '1' });
    expect((await room.summary('upstream.a', false))?.state).toBe('stale');
    await eventually(async () => expect(await room.summaries(false)).toEqual([]));
    // It is remembered all the same for when it comes.
    await room.source('upstream.a', hang);
    expect((await room.summary('upstream.a', false))?.state).toBe('stale');
  });

  it('is written only when it has changed', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a'));
    await room.discover({ MCP_DISCOVERY_CACHE_TTL_SECS: '0' });
    await room.tools('upstream.a');
    await written();
    const { ino, mtimeMs } = statSync(files()[0]!);
    for (let n = 0; n < 5; n++) await room.tools('upstream.a');
    await delay(100);
    expect(statSync(files()[0]!)).toMatchObject({ ino, mtimeMs });
    source.answer = () => catalogueOf('b');
    await room.tools('upstream.a');
    await eventually(() => expect(readFileSync(files()[0]!, 'utf8')).toContain('"b"'));
  });

  it.each([
    ['of another major version of the contracts', (value: object) => ({ ...value, contracts: '2.0' }), 'pending'],
    ['without a revision', (value: object) => ({ ...value, revision: 7 }), 'pending'],
    ['that is no document', () => 'nonsense', 'pending'],
    ['with a malformed catalogue', (value: object) => ({ ...value, catalogue: { tools: 'none' } }), 'stale'],
  ])('%s is ignored', async (_what, change, state) => {
    const source = await room.source('upstream.a', () => catalogueOf('old'));
    const first = await room.discover();
    await room.tools('upstream.a');
    await written();
    await first.close();
    rewrite(change);
    await room.discover();
    expect((await room.summary('upstream.a', false))?.state).toBe(state);
    source.answer = () => catalogueOf('new');
    expect(await room.tools('upstream.a')).toEqual(['new']);
  });

  it('[DI-9] of another configuration counts no more', async () => {
    const source = await room.source('upstream.a', () => catalogueOf('a', 'hidden'), { configuration: 'a' });
    const first = await room.discover();
    await room.tools('upstream.a');
    await written();
    await first.close();
    await source.close();

    await room.source('upstream.a', () => catalogueOf('a'), { configuration: 'b' });
    await room.discover();
    expect((await room.summary('upstream.a', false))?.state).toBe('pending');
    expect(await room.tools('upstream.a')).toEqual(['a']);
  });

  it('that can not be written is kept in memory, and nothing else suffers', async () => {
    mkdirSync(join(room.home, 'documents'), { recursive: true });
    writeFileSync(folder(), 'a file where a folder belongs');
    await room.discover({ MCP_DISCOVERY_CACHE_MAX_ENTRIES: '2' });
    const sources = [];
    for (let n = 0; n < 5; n++) {
      sources.push(await room.source(`upstream.s${n}`, () => catalogueOf(`tool-${n}`)));
      expect(await room.tools(`upstream.s${n}`)).toEqual([`tool-${n}`]);
    }
    await eventually(() => expect(room.told('store.failed')).toHaveLength(1));
    for (let n = 0; n < 5; n++) expect(await room.tools(`upstream.s${n}`)).toEqual([`tool-${n}`]);
    expect(sources.map(({ asked }) => asked)).toEqual([1, 1, 1, 1, 1]);
  });
});
