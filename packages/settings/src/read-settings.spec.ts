import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { setting } from './kinds.js';
import { readSettings, type SettingsTable } from './read-settings.js';

const folder = mkdtempSync(join(tmpdir(), 'portico-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

const one = (declared: SettingsTable[string], env: Record<string, string>): unknown =>
  readSettings({ X: declared } as SettingsTable, env)['X'];
const meaning = 'for the test';

describe('readSettings', () => {
  it('gives typed values, defaults, and undefined for what is optional and not set', () => {
    const table = {
      PORT: setting.port({ default: 8080, meaning }),
      HOST: setting.text({ default: '127.0.0.1', meaning }),
      MODE: setting.oneOf(['none', 'jwt'], { default: 'none', meaning }),
      NAMES: setting.list({ default: [], meaning }),
      TRUST: setting.flag({ default: false, meaning }),
      MANIFEST: setting.onOff({ default: true, meaning }),
      TTL_SECS: setting.seconds({ default: 300, meaning }),
      POLICY_FILE: setting.path({ meaning }),
    };
    const values = readSettings(table, { PORT: '0', NAMES: ' a, ,b ', MANIFEST: 'off', TTL_SECS: '0' });
    const port: number = values.PORT;
    const mode: 'none' | 'jwt' = values.MODE;
    const policy: string | undefined = values.POLICY_FILE;
    expect({ ...values, port, mode, policy }).toEqual({
      PORT: 0,
      HOST: '127.0.0.1',
      MODE: 'none',
      NAMES: ['a', 'b'],
      TRUST: false,
      MANIFEST: false,
      TTL_SECS: 0,
      POLICY_FILE: undefined,
      port: 0,
      mode: 'none',
      policy: undefined,
    });
  });

  it('takes an empty variable as unset, and zero as a value', () => {
    const ttl = setting.seconds({ default: 300, meaning });
    expect(one(ttl, { X: '' })).toBe(300);
    expect(one(ttl, { X: '  ' })).toBe(300);
    expect(one(ttl, { X: '0' })).toBe(0);
    expect(() => one(setting.text({ required: true, meaning }), { X: '' })).toThrow('X is not set, and it must be');
  });

  it.each([
    ['port', setting.port({ meaning }), '65536', 'X is "65536", but it takes a port from 0 to 65535.'],
    ['port', setting.port({ meaning }), '80.5', 'X is "80.5", but it takes a port from 0 to 65535.'],
    ['port', setting.port({ meaning }), '0x50', 'X is "0x50", but it takes a port from 0 to 65535.'],
    [
      'integer',
      setting.integer({ min: 1, max: 9, meaning }),
      '10',
      'X is "10", but it takes a whole number from 1 to 9.',
    ],
    ['integer', setting.integer({ meaning }), '-1', 'X is "-1", but it takes a whole number from 0 up.'],
    ['integer', setting.integer({ meaning }), '1e3', 'X is "1e3", but it takes a whole number from 0 up.'],
    ['number', setting.number({ max: 1, meaning }), '1.01', 'X is "1.01", but it takes a number from 0 to 1.'],
    ['number', setting.number({ meaning }), 'NaN', 'X is "NaN", but it takes a number from 0 up.'],
    ['seconds', setting.seconds({ meaning }), '5m', 'X is "5m", but it takes a number of seconds from 0 up.'],
    ['flag', setting.flag({ meaning }), 'maybe', 'X is "maybe", but it takes true or false.'],
    ['onOff', setting.onOff({ meaning }), '2', 'X is "2", but it takes on or off.'],
    ['oneOf', setting.oneOf(['a', 'b'], { meaning }), 'A', 'X is "A", but it takes one of a, b.'],
    [
      'url',
      setting.url({ meaning }),
      'ftp://h',
      'X is "ftp://h", but it takes a URL that begins with http: or https:.',
    ],
    [
      'text',
      setting.text({ pattern: /^[a-z]+$/, takes: 'lower-case letters', meaning }),
      'A1',
      'X is "A1", but it takes lower-case letters.',
    ],
  ])('refuses a bad %s in one sentence', (_kind, declared, text, sentence) => {
    expect(() => one(declared, { X: text })).toThrow(
      expect.objectContaining({ name: 'SettingError', variable: 'X', message: sentence }),
    );
  });

  it('never shows a secret, a password in a URL, or the content of a file', () => {
    const hidden = setting.text({ secret: true, orFile: true, pattern: /^ok$/, takes: 'ok', meaning });
    expect(() => one(hidden, { X: 'hunter2' })).toThrow('X is set to something else, but it takes ok.');
    expect(() => one(hidden, { X_FILE: written('bad', 'hunter2') })).toThrow(
      'X_FILE names a file whose content is something else, but it takes ok.',
    );
    expect(() => one(setting.url({ meaning }), { X: 'nats://user:hunter2@host' })).toThrow(
      'X is set to something else, but it takes a URL that begins with http: or https:.',
    );
  });

  it('reads NAME_FILE before NAME, and says so when it cannot', () => {
    const bus = setting.text({ default: 'memory:', orFile: true, meaning });
    expect(one(bus, { X: 'other:', X_FILE: written('kind', 'pglite:here\n') })).toBe('pglite:here');
    // A server's address is read by whoever connects to it, each time.
    const file = written('bus', 'nats://a\n');
    expect(one(bus, { X: 'nats://b', X_FILE: file })).toBe(`file:${file}`);
    expect(() => one(bus, { X_FILE: join(folder, 'absent') })).toThrow(
      'X_FILE names a file that cannot be read (ENOENT)',
    );
    expect(() => one(bus, { X_FILE: written('empty', '\n') })).toThrow('X_FILE names a file that is empty');
  });

  it('hands a credential on as a file to read when needed, or as its value', () => {
    const token = setting.secret({ meaning });
    expect(one(token, { X_FILE: 'keys/token', X: 'ignored' })).toEqual({ file: resolve('keys/token') });
    expect(one(token, { X: 'value' })).toEqual({ value: 'value' });
    expect(one(token, {})).toBeUndefined();
  });

  it('replaces another setting in a default', () => {
    const table = {
      PORTICO_HOME: setting.path({ default: '.portico', meaning }),
      SIGNING_KEY_FILE: setting.path({ default: '$PORTICO_HOME/signing-key', meaning }),
      DATABASE_URL: setting.text({ default: 'pglite:$PORTICO_HOME/data', meaning }),
    };
    expect(readSettings(table, { PORTICO_HOME: '/var/lib/portico' })).toMatchObject({
      SIGNING_KEY_FILE: '/var/lib/portico/signing-key',
      DATABASE_URL: 'pglite:/var/lib/portico/data',
    });
    expect(readSettings(table, {}).SIGNING_KEY_FILE).toBe(resolve('.portico/signing-key'));
  });
});
