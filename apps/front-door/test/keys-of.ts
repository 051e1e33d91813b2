import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOfApiKey, newApiKey } from '../src/auth/api-key.js';
import { keyFileText } from '../src/auth/key-file.js';

export interface KeysForTests {
  /** For API_KEYS_FILE. */
  readonly file: string;
  /** What each of the callers sends. */
  readonly headersOf: Readonly<Record<string, Record<string, string>>>;
  close(): void;
}

/** A file of keys, one for each of these subjects of one tenant. */
export function keysOf(...subjects: string[]): KeysForTests {
  const folder = mkdtempSync(join(tmpdir(), 'portico-keys-'));
  const file = join(folder, 'keys.json');
  const headersOf: Record<string, Record<string, string>> = {};
  const entries = subjects.map((subject) => {
    const { id, key } = newApiKey();
    headersOf[subject] = { Authorization: `Bearer ${key}` };
    const hash = hashOfApiKey(key).toString('hex');
    const scopes = ['portico:call'];
    return { id, hash, subject, tenant: 'default', scopes, createdAt: new Date().toISOString() };
  });
  writeFileSync(file, keyFileText(entries), { mode: 0o600 });
  return { file, headersOf, close: () => rmSync(folder, { recursive: true, force: true }) };
}
