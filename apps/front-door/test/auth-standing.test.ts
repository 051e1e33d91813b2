import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { keysCommand } from '../src/auth/keys/keys-command.js';
import { listen } from './listen.js';
import { openDoor } from './open-door.js';

describe('[FD-8] a subscription that is open', () => {
  it('ends when its caller would be let in no longer; those of others stay', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-standing-'));
    const file = join(folder, 'keys.json');
    const keys = async (...args: string[]): Promise<string> => {
      let key = '';
      const surroundings = { env: {}, folder, out: (text: string) => (key += text), err: () => undefined };
      expect(await keysCommand([...args, '--file', file], surroundings)).toBe(0);
      return key.trim();
    };
    const [one, other] = [
      await keys('create', '--subject', 'one', '--tenant', 'acme'),
      await keys('create', '--subject', 'other', '--tenant', 'acme'),
    ];
    const door = await openDoor({ AUTH_MODE: 'api-key', API_KEYS_FILE: file });
    try {
      const open = (key: string) =>
        listen(door.url, { toolsListChanged: true }, 'sub', { Authorization: `Bearer ${key}` });
      const [revoked, stays] = [await open(one as string), await open(other as string)];
      const over: string[] = [];
      void revoked.ended.then(() => over.push('revoked'));
      void stays.ended.then(() => over.push('stays'));
      await sleep(6_000);
      expect(over).toEqual([]);
      await keys('revoke', (one as string).split('_')[1] as string);
      const deadline = performance.now() + 60_000;
      while (over.length === 0 && performance.now() < deadline) await sleep(50);
      await sleep(6_000);
      expect(over).toEqual(['revoked']);
      stays.close();
    } finally {
      await door.close();
      rmSync(folder, { recursive: true });
    }
  }, 90_000);
});
