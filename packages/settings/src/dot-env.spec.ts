import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withDotEnv } from './dot-env.js';

describe('withDotEnv', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-env-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('adds what the file says, and the environment wins', () => {
    writeFileSync(join(folder, '.env'), '# ports\nPORT=9000\nHOST="0.0.0.0"\n');
    expect(withDotEnv({ PORT: '1' }, folder)).toEqual({ PORT: '1', HOST: '0.0.0.0' });
  });

  it('is the environment alone without a file, and a sentence with one that cannot be read', () => {
    expect(withDotEnv({ PORT: '1' }, folder)).toEqual({ PORT: '1' });
    mkdirSync(join(folder, '.env'));
    expect(() => withDotEnv({}, folder)).toThrow('The file .env cannot be read (EISDIR).');
  });
});
