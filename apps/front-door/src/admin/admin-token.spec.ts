import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAdminToken } from './admin-token.js';

describe('[UP-2] the admin token', () => {
  let folder = '';
  let path = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-token-'));
    path = join(folder, 'home', 'admin-token');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made at the first start, 256 bits of it, for its owner alone, and stays', () => {
    const made = loadAdminToken(path);
    const text = readFileSync(path, 'utf8').trim();
    expect(Buffer.from(text, 'base64url')).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(made.isIn(`Bearer ${text}`)).toBe(true);
    expect(loadAdminToken(path).isIn(`Bearer ${text}`)).toBe(true);
    expect(inspect(made, { showHidden: true, depth: 9 })).not.toContain(text);
  });

  it('is taken as the scheme has it, and nothing else is', () => {
    const token = loadAdminToken(path);
    const text = readFileSync(path, 'utf8').trim();
    for (const good of [`bearer ${text}`, `BEARER   ${text}`, ` Bearer ${text} `]) expect(token.isIn(good)).toBe(true);
    for (const bad of [
      '',
      'Bearer',
      'Bearer ',
      text,
      `Basic ${text}`,
      `Bearer ${text.slice(0, -1)}`,
      `Bearer ${text}x`,
      `Bearer ${text}, Bearer ${text}`,
      `Bearer ${text} ${text}`,
      `Bearer "${text}"`,
      `Bearer ${text.toUpperCase()}`,
    ])
      expect(token.isIn(bad)).toBe(false);
  });

  it.each([
    '',
    'short',
    'x'.repeat(31),
    `${'x'.repeat(40)} ${'y'.repeat(40)}`,
    `${'x'.repeat(40)}\n${'y'.repeat(40)}`,
    'é'.repeat(40),
  ])('refuses a file that holds %j', (text) => {
    writeFileSync(join(folder, 'token'), text);
    expect(() => loadAdminToken(join(folder, 'token'))).toThrow(
      /^ADMIN_TOKEN_FILE at .* must hold one token of at least 32/,
    );
  });
});
