import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig, startFrontDoor } from '@portico/front-door';
import type { RunningFrontDoor } from '@portico/front-door';
import { createLog } from '@portico/observe';
import { reportShadowCheck } from '@portico/contracts';
import { cacheCommand } from '../src/command/cache-command.js';
import { question } from './questions.js';
import { RunningCache } from './running-cache.js';

describe('[SC-9][SC-17] npm run cache', () => {
  let home: string;
  let cache: RunningCache;
  let door: RunningFrontDoor;
  const run = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const env = { PORTICO_HOME: home, ADMIN_PORT: new URL(door.adminUrl).port };
    const status = await cacheCommand(args, {
      env,
      folder: home,
      out: (text) => (out += text),
      err: (text) => (err += text),
    });
    return { status, out, err };
  };

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'portico-cache-'));
    cache = await RunningCache.start({ databaseUrl: 'pglite:memory:' });
    const config = readConfig({ PORT: '0', ADMIN_PORT: '0', PORTICO_HOME: home });
    door = await startFrontDoor(cache.bus, config, createLog({ name: 'test', level: 'silent' }));
    await cache.opened();
  }, 120_000);
  afterAll(async () => {
    await door?.close();
    await cache?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('erases a tenant’s answers, of one tool or all, and says how many', async () => {
    for (const tool of ['a.x', 'a.y', 'a.z']) await cache.store(question({ tenant: 'acme', tool }));
    await cache.store(question({ tenant: 'other', tool: 'a.x' }));
    expect(await run('erase', '--tenant', 'acme', '--tool', 'a.x')).toEqual({
      status: 0,
      out: '1 answer is erased.\n',
      err: '',
    });
    expect(await run('erase', '--tenant', 'acme')).toEqual({ status: 0, out: '2 answers are erased.\n', err: '' });
    expect((await cache.lookUp(question({ tenant: 'acme', tool: 'a.y' }))).kind).toBe('miss');
    expect((await cache.lookUp(question({ tenant: 'other', tool: 'a.x' }))).kind).toBe('hit');
  });

  it('gives a tool its semantic lane back', async () => {
    for (let n = 0; n < 3; n += 1) await cache.bus.ask(reportShadowCheck, { tool: 'a.x', agreed: false });
    expect(await run('restore', '--tool', 'a.x')).toMatchObject({
      status: 0,
      out: 'a.x has its semantic lane again.\n',
    });
    expect(await run('restore', '--tool', 'a.x')).toMatchObject({ out: 'a.x had its semantic lane all along.\n' });
  });

  it('says in a sentence what is wrong', async () => {
    for (const args of [
      [],
      ['drop'],
      ['erase'],
      ['restore'],
      ['erase', '--all'],
      ['restore', '--tool', 'x', '--tenant', 'y'],
    ])
      expect(await run(...args)).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/^.+\n$/) });
    expect(await run('--help')).toMatchObject({ status: 0, out: expect.stringContaining('erase --tenant T') });
    const nobody = await run('erase', '--tenant', 'acme', '--admin-url', 'http://127.0.0.1:1');
    expect(nobody).toMatchObject({
      status: 1,
      err: expect.stringContaining('No front door answers at http://127.0.0.1:1'),
    });
  });
});
