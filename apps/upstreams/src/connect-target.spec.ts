import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { publicLookup } from './address-guard.js';
import { connectTarget } from './connect-target.js';
import { parseServerEntry } from './server-entry.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'portico-target-')));
afterAll(() => rmSync(folder, { recursive: true }));

const surroundings = {
  environment: { PATH: process.env['PATH'], HOME: '/h', LANG: 'C', GATEWAY_KEY: 'k' },
  secretsDir: undefined,
  home: join(folder, 'home'),
  workspace: join(folder, 'workspace'),
  folder,
};
const entryOf = (given: Record<string, unknown>) =>
  parseServerEntry({
    spelled: 'a',
    given,
    by: 'file',
    others: [],
    policy: { serverSecrets: new Set(), stdioByApi: true },
  });
const targetOf = (given: Record<string, unknown>) => connectTarget(entryOf(given), surroundings);

describe('[UP-11] how a server over HTTP is connected to', () => {
  it('is by the lookup that guards, unless its entry allows private addresses', async () => {
    expect(await targetOf({ url: 'https://a.example/mcp' })).toMatchObject({ lookup: publicLookup });
    expect(await targetOf({ url: 'http://10.0.0.1/', allowPrivate: true })).not.toHaveProperty('lookup');
  });

  it('is not at all when its address is private, whoever let that entry pass', async () => {
    const { transport, ...entry } = entryOf({ url: 'http://169.254.169.254/', allowPrivate: true });
    if (transport.kind !== 'http') throw new Error('it is one over HTTP');
    await expect(
      connectTarget({ ...entry, transport: { ...transport, allowPrivate: false } }, surroundings),
    ).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
      cause: { message: 'its address is private' },
    });
  });
});

describe('[UP-1][UP-9] how a process is started', () => {
  it('is from the folder of its file, with the scrubbed environment, and {workspace} filled in', async () => {
    expect(await targetOf({ command: 'sh', args: ['{workspace}'], env: { A: '{workspace}/a' } })).toEqual({
      transport: 'stdio',
      command: 'sh',
      args: [surroundings.workspace],
      env: { PATH: process.env['PATH'], HOME: '/h', LANG: 'C', A: `${surroundings.workspace}/a` },
      cwd: folder,
    });
    expect(await targetOf({ command: 'sh', cwd: 'workspace' })).toMatchObject({ cwd: surroundings.workspace });
  });

  it('goes by the PATH that its entry gives it', async () => {
    await expect(targetOf({ command: 'sh', env: { PATH: '/nowhere' } })).rejects.toMatchObject({
      cause: { message: 'no such program' },
    });
    expect(await targetOf({ command: '/bin/sh', env: { PATH: '/nowhere' } })).toMatchObject({ command: '/bin/sh' });
    expect(await targetOf({ command: 'sh', env: { PATH: '../../../../bin:/nowhere' }, cwd: '/usr' })).toBeDefined();
  });
});
