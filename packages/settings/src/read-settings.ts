import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SettingError } from './setting-error.js';
import { RefusedValue, type Setting } from './setting.js';

export type Environment = Readonly<Record<string, string | undefined>>;
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;
export type SettingsOf<T extends SettingsTable> = {
  readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never;
};

/**
 * The values of a table, read once. An empty variable counts as unset (that is how an unset one arrives through compose
 * files and `.env`); `0` is a value. Throws `SettingError` for the first setting that cannot be used, in table order.
 */
export function readSettings<T extends SettingsTable>(table: T, env: Environment): SettingsOf<T> {
  const values: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(table)) values[name] = readOne(name, declared, table, env);
  return values as SettingsOf<T>;
}

function readOne(name: string, declared: Setting<unknown>, table: SettingsTable, env: Environment): unknown {
  const file = declared.file === 'none' ? undefined : given(env, `${name}_FILE`);
  if (file !== undefined && declared.file === 'name') return { file: resolve(file) };
  const text = file === undefined ? given(env, name) : contentOf(`${name}_FILE`, file);
  if (text !== undefined) {
    const value = parsed(name, declared, text, file !== undefined);
    return file !== undefined && SERVER.test(text) ? `file:${resolve(file)}` : value;
  }
  if (declared.required)
    throw new SettingError(name, `${name} is not set, and it must be: it takes ${declared.takes}.`);
  if (declared.defaultText === undefined || typeof declared.absent !== 'string') return declared.absent;
  return parsed(name, declared, withReferences(declared.defaultText, table, env), false);
}

/** With a credential in it, which may be rotated: its file is handed on as `file:<path>`, and whoever connects reads it anew. */
const SERVER = /^(nats|tls|rediss?|postgres(ql)?):\/\//;

const given = (env: Environment, name: string): string | undefined => {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
};

function contentOf(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new SettingError(variable, `${variable} names a file that cannot be read (${reason}): "${file}".`);
  }
  if (text === '') throw new SettingError(variable, `${variable} names a file that is empty: "${file}".`);
  return text;
}

function parsed(name: string, declared: Setting<unknown>, text: string, fromFile: boolean): unknown {
  try {
    return declared.parse(text);
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error;
    const variable = fromFile ? `${name}_FILE` : name;
    throw new SettingError(variable, `${variable} ${got(declared, text, fromFile)}, but it takes ${declared.takes}.`);
  }
}

/** A URL may carry a password before its `@`. */
const got = (declared: Setting<unknown>, text: string, fromFile: boolean): string => {
  if (fromFile) return 'names a file whose content is something else';
  return declared.secret || text.includes('@')
    ? 'is set to something else'
    : `is ${JSON.stringify(text.slice(0, 100))}`;
};

/** `$NAME` in a default stands for the value of another setting of the same table. */
const withReferences = (text: string, table: SettingsTable, env: Environment): string =>
  text.replace(/\$([A-Z][A-Z0-9_]*)/g, (whole, name: string) => {
    const other = table[name];
    return other ? String(readOne(name, other, table, env)) : whole;
  });
