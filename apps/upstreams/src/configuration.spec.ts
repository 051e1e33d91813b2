import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryBus } from '@portico/bus';
import { createLog } from '@portico/observe';
import { openDocuments } from '@portico/storage';
import type { Documents } from '@portico/storage';
import { readConfig } from './config.js';
import { Configuration } from './configuration.js';
import { RunningServers } from './running-servers.js';

const log = createLog({ name: 'upstreams', level: 'silent' });
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
const keep = <One extends { close(): unknown }>(one: One): One => {
  opened.push(one);
  return one;
};

/** A configuration whose store gives what it has read when the test lets it; `waiting`: readings that it has not given. */
async function configured() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-configuration-'));
  keep({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const home = join(folder, 'home');
  const store = keep(await openDocuments({ databaseUrl: 'pglite:', home, log }));
  const waiting: (() => void)[] = [];
  const documents: Documents = {
    get: (...asked) => store.get(...asked),
    put: (...asked) => store.put(...asked),
    delete: (...asked) => store.delete(...asked),
    close: () => store.close(),
    list: async (collection) => {
      const found = await store.list(collection);
      if (collection === 'servers') await new Promise<void>((give) => waiting.push(give));
      return found;
    },
  };
  const bus = keep(memoryBus({ log }));
  const config = {
    ...readConfig({ PORTICO_HOME: home }),
    serversFile: { path: join(folder, 'mcp.json'), optional: true },
  };
  const running = new RunningServers(async () => ({ adopt: () => true, close: async () => {} }), log);
  const configuration = new Configuration({ bus, config, log, documents, running });
  keep({
    close: async () => {
      for (const give of waiting.splice(0)) give();
      await configuration.close();
    },
  });
  const read = async (count: number): Promise<void> => {
    while (waiting.length < count) await new Promise((next) => setTimeout(next, 5));
  };
  return { configuration, store, waiting, read };
}

const entry = { command: 'x' };
const namesOf = ({ servers }: Configuration): string[] => servers.map(({ entry: { name } }) => name);

describe('[UP-1] a store that takes its time', () => {
  it('does not keep the service from its start; until it has answered, what may be switched off in it is not served', async () => {
    const { configuration, waiting } = await configured();
    await configuration.open();
    expect(namesOf(configuration)).toEqual([]);
    waiting.shift()!();
    while (namesOf(configuration).length === 0) await new Promise((next) => setTimeout(next, 5));
    expect(namesOf(configuration)).toEqual(['files', 'memory']);
  });

  it('is believed in its newest answer, not in the one that came last', async () => {
    const { configuration, store, waiting, read } = await configured();
    const opening = configuration.open();
    await read(1);
    await store.put('servers', 'new', { spelled: 'new', given: entry });
    const refreshed = configuration.refresh();
    await read(2);
    waiting[1]!();
    await refreshed;
    expect(namesOf(configuration)).toContain('new');
    waiting[0]!();
    await opening;
    expect(namesOf(configuration)).toContain('new');
  });
});
