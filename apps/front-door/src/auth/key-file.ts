import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { isName, isScope } from './principal-names.js';

export const KEY_LIMIT = 10_000;
const LIMIT_BYTES = 8_388_608;

const Name = z.string().refine(isName, 'takes 1 to 256 characters, none of them a control character');

/** One key, as the file has it. An unknown field is refused: whoever wrote it expects something of it. */
export const KeyEntry = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/, 'takes 12 hexadecimal digits'),
  /** SHA-256 of the whole key, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'takes a SHA-256 in hexadecimal'),
  subject: Name,
  tenant: Name,
  scopes: z.array(z.string().refine(isScope, 'takes scopes without space, quote or backslash; * is none')).max(64),
  createdAt: z.iso.datetime(),
});
export type KeyEntry = z.infer<typeof KeyEntry>;

const KeyFile = z.strictObject({ keys: z.array(KeyEntry).max(KEY_LIMIT) });

/** The keys of the file at `path`; undefined when there is none. Throws one sentence, which repeats nothing of its content. */
export function readKeyFile(path: string): KeyEntry[] | undefined {
  const text = readKeyText(path);
  return text === undefined ? undefined : keysIn(path, text);
}

/** The keys that a text stands for; `path` is where it was read. Throws like `readKeyFile`. */
export function keysIn(path: string, text: string): KeyEntry[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw broken(path, 'it is not JSON');
  }
  const { data, error } = KeyFile.safeParse(json);
  if (error !== undefined) {
    const [issue] = error.issues;
    throw broken(path, `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'invalid'}`);
  }
  const ids = new Set<string>();
  for (const { id } of data.keys) {
    if (ids.has(id)) throw broken(path, `two keys have the id ${id}`);
    ids.add(id);
  }
  return data.keys;
}

/** The text of a file that holds `keys`. */
export const keyFileText = (keys: readonly KeyEntry[]): string => `${JSON.stringify({ keys }, undefined, 2)}\n`;

/** Undefined: there is no such file. A device or a pipe is not read: it might never end. Throws like `readKeyFile`. */
export function readKeyText(path: string): string | undefined {
  let file: number | undefined;
  try {
    // Opening a pipe would otherwise wait for who writes into it.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile() || found.size > LIMIT_BYTES) throw new Error('It is no file of at most 8 MiB.');
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw broken(path, code ?? 'it is no file of at most 8 MiB', error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const broken = (path: string, why: string, cause?: unknown): Error =>
  new Error(`API_KEYS_FILE ${basename(path)} can not be used (${why}). Write it with: npm run keys`, { cause });
