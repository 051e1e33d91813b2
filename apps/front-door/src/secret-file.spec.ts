import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretFile } from './secret-file.js';

describe('[UP-2][FD-26] a file that holds a secret', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made once, for its owner alone, in a folder for its owner alone, and read again afterwards', () => {
    const path = join(folder, 'home', 'secret');
    expect(secretFile(path, 'SOME_FILE', () => 'made')).toBe('made');
    expect(secretFile(path, 'SOME_FILE', () => 'made again')).toBe('made');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'home')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'home'))).toEqual(['secret']);
  });

  it('is the one of whoever was faster', () => {
    const path = join(folder, 'secret');
    const ours = secretFile(path, 'SOME_FILE', () => {
      writeFileSync(path, 'theirs\n');
      return 'ours';
    });
    expect([ours, readFileSync(path, 'utf8')]).toEqual(['theirs', 'theirs\n']);
    expect(readdirSync(folder)).toEqual(['secret']);
  });

  it('names the setting when it can be neither made nor read', () => {
    const make = (name: string) => () => secretFile(join(folder, name), 'SOME_FILE', () => 'x');
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    symlinkSync(join(folder, 'nowhere', 'at-all'), join(folder, 'link'));
    expect(make('file/secret')).toThrow(/^SOME_FILE could not be read at .*ENOTDIR/);
    expect(make('folder')).toThrow(/^SOME_FILE could not be read at .*not a file/);
    expect(make('link')).toThrow(/^SOME_FILE could not be read at .*ENOENT/);
    expect(make('link/secret')).toThrow(/^SOME_FILE could not be made at .*ENOENT/);
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder', 'link']);
  });
});
