import { createHook } from 'node:async_hooks';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault, describeSource } from '@portico/contracts';
import type { SourceAddress } from '@portico/contracts';
import { revisionOf } from '@portico/domain-kit';
import { openDocuments, openSharedState } from '@portico/storage';
import { CatalogueDocuments } from '../src/catalogue-documents.js';
import { Catalogue } from '../src/catalogue.js';
import { KnownSources } from '../src/known-sources.js';
import { SharedFlight } from '../src/shared-flight.js';
import { Room } from './room.js';
import { catalogueOf, eventually } from './sources.js';

const MAX_ENTRIES = 16;
const neverAborted = { signal: new AbortController().signal };

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});
afterEach(() => room.close());

/** The catalogue itself, without what puts it on the bus, so that what it holds can be counted. */
async function openCatalogue(maxEntries = MAX_ENTRIES) {
  const known = new KnownSources();
  const documents = await openDocuments({ databaseUrl: 'pglite:', home: room.home, log: room.log });
  const catalogue = new Catalogue(room.bus, known, {
    ttlMs: 300_000,
    graceMs: 3_600_000,
    maxEntries,
    breaker: { failures: 1, resetMs: 30_000 },
    documents: new CatalogueDocuments(documents, room.log),
    shared: new SharedFlight(await openSharedState('memory:'), room.log),
    log: room.log,
  });
  const hello = (source: SourceAddress): void => {
    const said = {
      source,
      instance: 'one',
      version: '1',
      contracts: '1.0',
      configuration: 'a',
      connectTimeoutMs: 1_000,
    };
    if (known.hello(said, performance.now()) === 'arrived') catalogue.arrived(source);
  };
  const bye = (source: SourceAddress): void => {
    if (known.bye({ source, instance: 'one' })) catalogue.gone(source);
  };
  return { catalogue, hello, bye };
}

describe('[DI-13] ten thousand sources asked for once', () => {
  it('that are dead leave at most so many entries, and no timer', async () => {
    const { catalogue, hello } = await openCatalogue();
    const timers = new Set<number>();
    const watch = createHook({
      init: (id, type) => void (type === 'Timeout' && timers.add(id)),
      destroy: (id) => void timers.delete(id),
    }).enable();
    for (let n = 0; n < 10_000; n++) {
      const source = `upstream.s${n}` as const;
      hello(source);
      const asked = catalogue.page(source, undefined, neverAborted);
      // Nobody serves it: three attempts would take their rests, so that most are only begun.
      if (n % 500 === 0) await expect(asked).rejects.toBeInstanceOf(Fault);
      else asked.catch(() => {});
    }
    await eventually(() =>
      expect(catalogue.health().sources.filter(({ state }) => state === 'down').length).toBe(10_000),
    );
    expect(catalogue.sizes.breakers).toBeLessThanOrEqual(MAX_ENTRIES);
    expect(catalogue.sizes.catalogues).toBe(0);
    // Something is about to be asked again when the end comes.
    for (let n = 0; n < 100; n++) catalogue.changed(`upstream.s${n}`);
    catalogue.stop();
    await catalogue.written();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(timers.size).toBe(0);
    watch.disable();
  }, 60_000);

  it('that live and leave again leave nothing but so many documents', async () => {
    const { catalogue, hello, bye } = await openCatalogue();
    const content = catalogueOf('a');
    for (let n = 0; n < 200; n++) {
      const source = `upstream.s${n}` as const;
      hello(source);
      const served = await room.bus.serve(describeSource(source), async () => ({
        ...content,
        revision: revisionOf(content),
      }));
      await catalogue.page(source, undefined, neverAborted);
      bye(source);
      await served.close();
    }
    await catalogue.written();
    expect(catalogue.sizes).toEqual({ catalogues: 0, sources: 0, breakers: 0, outcomes: 0 });
    expect(catalogue.health().sources).toEqual([]);
    expect(readdirSync(join(room.home, 'documents', 'catalogues')).length).toBeLessThanOrEqual(MAX_ENTRIES);
    catalogue.stop();
  }, 30_000);
});

describe('[DI-3] capacity', () => {
  it('those used last are in memory, and no last known catalogue is lost', async () => {
    const { catalogue, hello } = await openCatalogue(4);
    let asked = 0;
    const sources = Array.from({ length: 20 }, (_, n) => `upstream.s${n}` as const);
    for (const source of sources) {
      hello(source);
      const content = catalogueOf(`tool-of-${source}`);
      await room.bus.serve(describeSource(source), async () => {
        asked++;
        return { ...content, revision: revisionOf(content) };
      });
      await catalogue.page(source, undefined, neverAborted);
    }
    await catalogue.written();
    await eventually(() => expect(catalogue.sizes.catalogues).toBe(4));
    const { sources: summaries } = catalogue.overview(false);
    expect(summaries.map(({ state }) => state)).toEqual(Array.from({ length: 20 }, () => 'fresh'));
    for (const source of sources) {
      const page = await catalogue.page(source, undefined, neverAborted);
      expect(page.tools.map(({ definition }) => definition.name)).toEqual([`tool-of-${source}`]);
      expect(catalogue.sizes.catalogues).toBeLessThanOrEqual(4);
    }
    expect(asked).toBe(20);
    catalogue.stop();
    await catalogue.written();
  });

  it('is a setting; beyond it those go first that were used longest ago', async () => {
    const documents = join(room.home, 'documents', 'catalogues');
    const names = ['upstream.a', 'upstream.b', 'upstream.c'] as const;
    const sources = [];
    for (const name of names) sources.push(await room.source(name, () => catalogueOf(name)));
    await room.discover({ MCP_DISCOVERY_CACHE_MAX_ENTRIES: '2' });
    const written = async (count: number): Promise<void> => {
      await eventually(() =>
        expect(readdirSync(documents).filter((name) => !name.startsWith('.'))).toHaveLength(count),
      );
      // Until discovery has heard of it: what is not written yet stays, whatever the limit.
      await delay(100);
    };
    for (const name of ['upstream.a', 'upstream.b'] as const) await room.tools(name);
    await written(2);
    for (const name of ['upstream.a', 'upstream.c'] as const) await room.tools(name);
    await written(3);
    // Without its document, what is not in memory has to be asked for again.
    rmSync(documents, { recursive: true });
    for (const name of ['upstream.a', 'upstream.c', 'upstream.b'] as const) {
      expect(await room.tools(name)).toEqual([name]);
    }
    expect(sources.map(({ asked }) => asked)).toEqual([1, 2, 1]);
  });
});
