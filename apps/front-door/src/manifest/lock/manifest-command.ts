import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Environment, type SecretSource, readSettings, setting, withDotEnv } from '@portico/settings';
import { Manifest, digestOf } from '../manifest.js';
import { manifestChanges, shown } from './manifest-changes.js';
import { readManifest } from './read-manifest.js';

const HELP = `The surface of a running front door, locked in a file that can be reviewed.

  npm run manifest -- lock    writes what the front door publishes now into the file
  npm run manifest -- check   tells what has changed since; exit status 1 when anything has

  --url       the front door; http://127.0.0.1:8080 unless given
  --file      the lock; portico.manifest.lock.json unless given
  --key-file  a file with the API key or token to call with; PORTICO_API_KEY_FILE or PORTICO_API_KEY unless given
  --help      this text

The manifest is what that caller may see: lock and check with the same one.
`;

const settings = { PORTICO_API_KEY: setting.secret({ meaning: 'the API key or token to call with' }) };

export interface Surroundings {
  readonly env: Environment;
  /** Where the lock and `.env` may be. */
  readonly folder: string;
  out(text: string): void;
  err(text: string): void;
}

/** `npm run manifest`: the exit status. Changes go to `out`, a sentence each. */
export async function manifestCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const { folder, out, err } = around;
  try {
    const { values, positionals } = parse(args);
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    const [command, ...rest] = positionals;
    if ((command !== 'lock' && command !== 'check') || rest.length > 0)
      throw new Error('It takes lock or check. See: npm run manifest -- --help');
    const path = resolve(folder, values.file ?? 'portico.manifest.lock.json');
    const locked = command === 'check' ? readLock(path) : undefined;
    const { manifest, silent } = await readManifest(endpointOf(values.url), keyOf(values['key-file'], around));
    for (const domain of silent)
      err(`The domain ${shown(domain)} does not answer: what it offers may not be in this manifest.\n`);
    if (locked === undefined) {
      writeLock(path, manifest);
      err(`${countOf(manifest)} are locked in ${basename(path)}, digest ${manifest.digest}.\n`);
      return 0;
    }
    const changes = manifestChanges(locked, manifest);
    if (changes.length === 0) {
      err(`${countOf(manifest)} are as they were locked, digest ${manifest.digest}.\n`);
      return 0;
    }
    out(changes.map((change) => `${change}\n`).join(''));
    err(`The surface is not as it was locked. If it is meant to be so: npm run manifest -- lock\n`);
    return 1;
  } catch (error) {
    err(`${(error as Error).message}\n`);
    return 1;
  }
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      file: { type: 'string' },
      'key-file': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });

function endpointOf(given = 'http://127.0.0.1:8080'): URL {
  const url = URL.parse(given);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '')
    throw new Error('--url takes the address of a front door, such as http://127.0.0.1:8080.');
  if (url.pathname === '/') url.pathname = '/mcp';
  return url;
}

function keyOf(file: string | undefined, { env, folder }: Surroundings): string | undefined {
  const source: SecretSource | undefined =
    file === undefined
      ? readSettings(settings, withDotEnv(env, folder)).PORTICO_API_KEY
      : { file: resolve(folder, file) };
  if (source === undefined) return undefined;
  const key = ('value' in source ? source.value : text(source.file, 'the key')).trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('The key is empty, or holds what no key or token does.');
  return key;
}

function readLock(path: string): Manifest {
  let lock: Manifest;
  try {
    lock = Manifest.parse(JSON.parse(text(path, 'the lock')));
  } catch (error) {
    if (error instanceof ReadError) throw error;
    throw new Error(`${basename(path)} is no manifest. Lock it again: npm run manifest -- lock`, { cause: error });
  }
  if (digestOf(lock) === lock.digest) return lock;
  throw new Error(`${basename(path)} has been changed since it was locked: its digest is not that of what it says.`);
}

class ReadError extends Error {
  override readonly name = 'ReadError';
}

function text(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ReadError(`${basename(path)}, ${what}, can not be read (${code ?? 'unreadable'}).`, { cause: error });
  }
}

/** Whole or not at all. */
function writeLock(path: string, manifest: Manifest): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(manifest, undefined, 2)}\n`);
    renameSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${basename(path)} can not be written (${code ?? 'unwritable'}).`, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

const countOf = ({ domains }: Manifest): string =>
  `${domains.reduce((sum, { tools }) => sum + tools.length, 0)} tools of ${domains.length} domains`;
