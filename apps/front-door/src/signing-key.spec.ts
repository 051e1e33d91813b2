import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSigningKey } from './signing-key.js';

describe('[FD-26] the signing key', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made once, for its owner alone, and read again afterwards', () => {
    const path = join(folder, 'home', 'signing-key');
    const key = loadSigningKey(path);
    expect(key).toHaveLength(32);
    expect(loadSigningKey(path)).toEqual(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'home'))).toEqual(['signing-key']);
  });

  it.each(['', 'short', 'zz'.repeat(32), 'ab'.repeat(31)])('refuses a file that holds %j', (text) => {
    const path = join(folder, 'key');
    writeFileSync(path, text);
    expect(() => loadSigningKey(path)).toThrow(/SIGNING_KEY_FILE .* must hold at least 32 bytes in hex/);
  });

  it('names the setting when the file can not be made', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => loadSigningKey(join(folder, 'file', 'key'))).toThrow();
  });
});
