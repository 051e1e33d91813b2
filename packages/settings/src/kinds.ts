import { resolve } from 'node:path';
import { RefusedValue, kind } from './setting.js';
import type { Described, Optional, Required, Setting, WithDefault } from './setting.js';

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** A credential: a file that is read when it is needed, so that it can be rotated, or the value itself. */
export type SecretSource = { readonly file: string } | { readonly value: string };

const TRUE = new Set(['true', 'on', 'yes', '1']);
const FALSE = new Set(['false', 'off', 'no', '0']);

const within = (value: number, { min = 0, max = Number.MAX_SAFE_INTEGER }: Bounds): number => {
  if (value < min || value > max) throw new RefusedValue();
  return value;
};

const bounds = ({ min = 0, max }: Bounds): string => (max === undefined ? `from ${min} up` : `from ${min} to ${max}`);

const parseInteger = (text: string, limits: Bounds): number => {
  if (!/^-?\d{1,16}$/.test(text)) throw new RefusedValue();
  return within(Number(text), limits);
};

const parseNumber = (text: string, limits: Bounds): number => {
  if (!/^-?\d{1,16}(\.\d{1,16})?$/.test(text)) throw new RefusedValue();
  return within(Number(text), limits);
};

const parseFlag = (text: string): boolean => {
  const word = text.toLowerCase();
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  throw new RefusedValue();
};

const parseList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const parseUrl = (text: string, protocols: readonly string[]): string => {
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol)) throw new RefusedValue();
  return text;
};

function oneOf<const V extends string>(values: readonly V[], options: WithDefault<V>): Setting<V>;
function oneOf<const V extends string>(values: readonly V[], options: Required): Setting<V>;
function oneOf<const V extends string>(values: readonly V[], options: Optional): Setting<V | undefined>;
function oneOf<const V extends string>(values: readonly V[], options: WithDefault<V> | Required | Optional) {
  const declare = kind<V>(() => ({
    takes: `one of ${values.join(', ')}`,
    parse: (text) => {
      const found = values.find((value) => value === text);
      if (found === undefined) throw new RefusedValue();
      return found;
    },
  }));
  return declare(options as Optional);
}

/** A credential: `NAME_FILE` before `NAME`. The file is not read here: whoever uses it does, each time it has changed. */
const secret = (options: Described): Setting<SecretSource | undefined> => ({
  meaning: options.meaning,
  shownDefault: options.shownDefault ?? 'none',
  takes: 'a credential',
  required: false,
  secret: true,
  file: 'name',
  defaultText: undefined,
  absent: undefined,
  parse: (value) => ({ value }),
});

/** The kinds of setting there are. Numbers are plain decimals; durations are in seconds, sizes in bytes, as their names say. */
export const setting = {
  text: kind<string, { readonly pattern?: RegExp; readonly takes?: string }>(({ pattern, takes }) => ({
    takes: takes ?? (pattern ? `text like ${pattern.source}` : 'text'),
    parse: (text) => {
      if (pattern && !pattern.test(text)) throw new RefusedValue();
      return text;
    },
  })),
  /** A TCP port; 0 asks the system for a free one. */
  port: kind<number>(() => ({
    takes: 'a port from 0 to 65535',
    parse: (text) => parseInteger(text, { max: 65_535 }),
  })),
  /** From 0 up unless `min` says otherwise. */
  integer: kind<number, Bounds>((limits) => ({
    takes: `a whole number ${bounds(limits)}`,
    parse: (text) => parseInteger(text, limits),
  })),
  /** From 0 up unless `min` says otherwise. */
  number: kind<number, Bounds>((limits) => ({
    takes: `a number ${bounds(limits)}`,
    parse: (text) => parseNumber(text, limits),
  })),
  /** A duration in seconds, fractions allowed; 0 is a value. */
  seconds: kind<number, Bounds>((limits) => ({
    takes: `a number of seconds ${bounds(limits)}`,
    parse: (text) => parseNumber(text, limits),
  })),
  flag: kind<boolean>(() => ({ takes: 'true or false', parse: parseFlag })),
  /** A flag whose default is shown as `on` or `off`. */
  onOff: kind<boolean>(() => ({ takes: 'on or off', parse: parseFlag, write: (on) => (on ? 'on' : 'off') })),
  /** Comma separated; blanks around an item and empty items are dropped. */
  list: kind<readonly string[]>(() => ({
    takes: 'a comma-separated list',
    parse: parseList,
    write: (list) => list.join(','),
  })),
  /** A file or folder, made absolute from the working directory. A default may begin with `$NAME`, another setting. */
  path: kind<string>(() => ({ takes: 'a path', parse: (text) => resolve(text) })),
  /** An absolute URL, kept as written. `protocols` such as `['https:']`; http and https unless given. */
  url: kind<string, { readonly protocols?: readonly string[] }>(({ protocols = ['http:', 'https:'] }) => ({
    takes: `a URL that begins with ${protocols.join(' or ')}`,
    parse: (text) => parseUrl(text, protocols),
  })),
  oneOf,
  secret,
};
