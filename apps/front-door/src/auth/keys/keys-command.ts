import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Environment, readSettings, setting, withDotEnv } from '@portico/settings';
import { hashOfApiKey, newApiKey } from '../api-key.js';
import { authSettings } from '../auth-settings.js';
import { KEY_LIMIT, type KeyEntry, readKeyFile } from '../key-file.js';
import { CALL_SCOPE, isName, isScope } from '../principal-names.js';
import { editKeyFile } from './edit-key-file.js';

const HELP = `Keys that callers prove themselves with where AUTH_MODE is api-key.

  npm run keys -- create --subject S --tenant T [--scopes a,b]   makes a key and shows it, once
  npm run keys -- list                                           lists the keys, not what they are
  npm run keys -- revoke ID                                      takes a key away

  --subject  who calls with it: 1 to 256 characters
  --tenant   whom that one belongs to: nothing is shared between tenants
  --scopes   what it may do, ${CALL_SCOPE} unless given; without that scope it can neither list nor call
  --file     the file of keys; API_KEYS_FILE unless given, else keys.json in PORTICO_HOME
  --help     this text

A front door that runs reads the file again within about a second.
`;

export interface Surroundings {
  readonly env: Environment;
  /** Where `.env` may be. */
  readonly folder: string;
  out(text: string): void;
  err(text: string): void;
}

/** `npm run keys`: the exit status. The new key alone goes to `out`, so that a script can take it. */
export async function keysCommand(args: readonly string[], { env, folder, out, err }: Surroundings): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    const [command, id, ...rest] = positionals;
    const file = values.file === undefined ? configuredFile(withDotEnv(env, folder)) : resolve(values.file);
    const { subject, tenant, scopes } = values;
    if (command === 'create' && id === undefined) {
      const made = await create(file, { subject, tenant, scopes });
      err(`Key ${made.id} of subject ${made.subject}, tenant ${made.tenant}. It is shown this once:\n`);
      out(`${made.key}\n`);
      return 0;
    }
    if ([subject, tenant, scopes].some((value) => value !== undefined))
      throw new Error('--subject, --tenant and --scopes belong to create.');
    if (command === 'list' && id === undefined) {
      out(table(readKeyFile(file) ?? []));
      return 0;
    }
    if (command === 'revoke' && id !== undefined && rest.length === 0) {
      await revoke(file, id);
      err(`Key ${id} is revoked.\n`);
      return 0;
    }
    throw new Error('It takes create, list or revoke ID. See: npm run keys -- --help');
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
      subject: { type: 'string' },
      tenant: { type: 'string' },
      scopes: { type: 'string' },
      file: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });

const configuredFile = (env: Environment): string => {
  const table = {
    API_KEYS_FILE: authSettings.API_KEYS_FILE,
    PORTICO_HOME: setting.path({ default: '.portico', meaning: 'folder of everything written' }),
  };
  const read = readSettings(table, env);
  return read.API_KEYS_FILE ?? resolve(read.PORTICO_HOME, 'keys.json');
};

interface Wanted {
  readonly subject: string | undefined;
  readonly tenant: string | undefined;
  readonly scopes: string | undefined;
}

async function create(file: string, wanted: Wanted): Promise<KeyEntry & { readonly key: string }> {
  const subject = name('--subject', wanted.subject);
  const tenant = name('--tenant', wanted.tenant);
  const scopes = [...new Set((wanted.scopes ?? CALL_SCOPE).split(',').map((scope) => scope.trim()))];
  if (!scopes.every(isScope) || scopes.length > 64)
    throw new Error('--scopes takes at most 64 scopes between commas, without space, quote or backslash; * is none.');
  const { id, key } = newApiKey();
  const hash = hashOfApiKey(key).toString('hex');
  const entry: KeyEntry = { id, hash, subject, tenant, scopes, createdAt: new Date().toISOString() };
  await editKeyFile(file, (keys) => {
    if (keys.length >= KEY_LIMIT)
      throw new Error(`There are ${KEY_LIMIT} keys already, which is the most there can be.`);
    return [...keys, entry];
  });
  return { ...entry, key };
}

const name = (option: string, value: string | undefined): string => {
  if (!isName(value)) throw new Error(`${option} takes 1 to 256 characters, none of them a control character.`);
  return value;
};

const revoke = (file: string, id: string): Promise<void> =>
  editKeyFile(file, (keys) => {
    const rest = keys.filter((key) => key.id !== id);
    if (rest.length === keys.length) throw new Error('There is no key of this id. See: npm run keys -- list');
    return rest;
  });

function table(keys: readonly KeyEntry[]): string {
  if (keys.length === 0) return 'There are no keys. See: npm run keys -- --help\n';
  const rows = [
    ['id', 'created', 'tenant', 'subject', 'scopes'],
    ...keys.map(({ id, createdAt, tenant, subject, scopes }) => [id, createdAt, tenant, subject, scopes.join(',')]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  return rows.map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}\n`).join('');
}
