import { fieldNamed } from '../entry-fields.js';
import { isObject, quoted, said } from '../invalid-field.js';
import { keyOf, kindOf, rule } from './rule.js';
import type { EntryRule } from './rule.js';

/** Exactly one transport that is served, and no field but its own. */
export const TRANSPORT_RULES: readonly EntryRule[] = [
  rule('entry-is-object', 'INVALID_FIELD', ({ given }) =>
    isObject(given) && !Array.isArray(given)
      ? undefined
      : ['entry', `it is ${said(given, true)}, but it takes an object`],
  ),
  rule('transport-supported', 'TRANSPORT_UNSUPPORTED', ({ given }) =>
    (given as Record<string, unknown>)['type'] === 'sse'
      ? ['type', '"type" is "sse", a transport withdrawn from MCP; it takes "stdio" or "http"']
      : undefined,
  ),
  rule('transport-given', 'TRANSPORT_REQUIRED', ({ given }) =>
    Object.hasOwn(given as object, 'command') || Object.hasOwn(given as object, 'url')
      ? undefined
      : ['command', 'it has neither "command" nor "url", but it takes one of them'],
  ),
  rule('fields-known', 'UNKNOWN_FIELD', ({ given }) => {
    const unknown = Object.keys(given as object).find((name) => fieldNamed(name) === undefined);
    return unknown === undefined ? undefined : [unknown.slice(0, 64), `${quoted(unknown)} is not a field of an entry`];
  }),
  rule('fields-of-the-transport', 'TRANSPORT_CONFLICT', ({ given }) => {
    const other = Object.keys(given as object).find((name) => {
      const transport = fieldNamed(name)?.transport;
      return transport !== undefined && transport !== kindOf(given);
    });
    return other === undefined ? undefined : [other, `"${other}" does not go with "${keyOf(given)}"`];
  }),
];
