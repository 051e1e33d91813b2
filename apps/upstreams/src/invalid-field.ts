import { fieldNamed } from './entry-fields.js';
import { EntryRefusal } from './entry-refusal.js';

/** The refusal of a field's value, or of what stands at `path` in it: what it got and what it takes, no secret. */
export function invalidField(name: string, value: unknown, path: readonly PropertyKey[] = []): EntryRefusal {
  const { takes, secret } = fieldNamed(name)!;
  const where = [name, ...path.map(String)].join('.').slice(0, 100);
  const inner = path.reduce<unknown>((from, key) => (isObject(from) ? from[key as string] : undefined), value);
  const subject = path.length === 0 ? 'it' : `"${name}"`;
  return new EntryRefusal(
    'INVALID_FIELD',
    where,
    `"${where}" is ${said(inner, secret)}, but ${subject} takes ${takes}`,
  );
}

export const quoted = (text: string): string => JSON.stringify(text.slice(0, 64));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** A value as a sentence shows it: scalars as they are, cut; of all else, and of what may be secret, only the kind. */
export function said(value: unknown, secret = false): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return secret ? 'another text' : quoted(value);
  return secret && value !== null ? `a ${typeof value}` : String(value);
}
