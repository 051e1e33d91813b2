import { basename } from 'node:path';
import { z } from 'zod';
import { DocumentError, parseDocument } from './policy-document.js';
import { PolicyFile } from './policy-schema.js';
import { readPolicyText } from './read-policy-text.js';

/** A policy file that can not be used: one sentence that names the setting, the place in the file, what it got and what it takes. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

/** The text of the policy file. Throws a PolicyFileError. */
export function readPolicyFile(path: string): string {
  try {
    return readPolicyText(path);
  } catch (error) {
    throw new PolicyFileError(`POLICY_FILE ${basename(path)} ${(error as Error).message}.`, { cause: error });
  }
}

/** What a text in YAML or JSON says; `path` is where it stands. Throws a PolicyFileError for the first thing that is wrong. */
export function parsePolicyFile(path: string, text: string): PolicyFile {
  const file = `POLICY_FILE ${basename(path)}`;
  let value: unknown;
  try {
    value = parseDocument(text);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new PolicyFileError(`${file} ${error.message}, but it takes YAML with tools, access and profiles.`);
  }
  const parsed = PolicyFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PolicyFileError(`${file}${sentence(parsed.error.issues[0]!, value)}.`);
}

const sentence = (issue: z.core.$ZodIssue, whole: unknown): string => {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
  const at = path.length === 0 ? '' : `, ${pathText(path)}`;
  if (issue.code === 'unrecognized_keys') return `${at}: this is not known here, but ${keysAt(issue.path)}`;
  if (issue.code === 'invalid_key')
    return `${at}: this is no name of a profile, it takes ${issue.issues[0]?.message ?? 'another'}`;
  return `${at}: it ${got(valueAt(whole, path))}, but it takes ${takes(issue)}`;
};

const takes = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `at least ${issue.minimum}${OF[issue.origin] ?? ''}`;
    case 'too_big':
      return `at most ${issue.maximum}${OF[issue.origin] ?? ''}`;
    default:
      return issue.message;
  }
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};
const OF: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

const SHOWN = 60;
const shown = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);

const got = (value: unknown): string => {
  if (value === undefined) return 'is missing';
  if (Array.isArray(value)) return `is a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'is a map';
  return `is ${shown(typeof value === 'string' ? JSON.stringify(value) : String(value))}`;
};

/** `tools[3].cache.guards`; a key that is no plain word stands in quotes. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = String(key);
      if (!/^[A-Za-z_]\w{0,63}$/.test(name)) return `[${shown(JSON.stringify(name))}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join('');

const valueAt = (whole: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], whole);

/** What the map at a place may hold, from the schema itself. */
const keysAt = (path: readonly PropertyKey[]): string => {
  let schema: unknown = PolicyFile;
  for (const key of path) {
    schema = unwrapped(schema);
    schema = schema instanceof z.ZodArray ? schema.element : (schema as z.ZodObject).shape[String(key)];
  }
  return `${Object.keys((unwrapped(schema) as z.ZodObject).shape).join(', ')} are`;
};

const unwrapped = (schema: unknown): unknown => (schema instanceof z.ZodOptional ? schema.unwrap() : schema);
