import { CONTEXT_HEADERS } from '@portico/contracts';
import { isPrivateHost } from '../address-guard.js';
import type { EntryFields } from '../entry-fields.js';
import { hasOnlyReferences, hasReference } from '../references.js';
import { textsOf, urlsOf } from './entry-texts.js';
import { content, keyOf, kindOf, rule } from './rule.js';
import type { EntryRule } from './rule.js';

/** Belongs to the protocol, the connection or the message: never an entry's to set. */
const OWN_HEADERS =
  /^(mcp-.*|accept|connection|content-(length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
/** What the context of each call is told in. */
const CONTEXT: ReadonlySet<string> = new Set(Object.values(CONTEXT_HEADERS).map((name) => name.toLowerCase()));

function* wrongTexts(fields: EntryFields, isWrong: (text: string, secret: boolean) => boolean) {
  for (const { at, text, secret } of textsOf(fields)) if (isWrong(text, secret)) yield at;
}

/** What the content of the fields must be, each for itself. */
export const CONTENT_RULES: readonly EntryRule[] = [
  rule('type-of-the-transport', 'TRANSPORT_CONFLICT', ({ given }) => {
    const { type } = given as EntryFields;
    if (type === undefined || (type === 'stdio') === (kindOf(given) === 'stdio')) return undefined;
    return ['type', `"type" is "${type}", which does not go with "${keyOf(given)}"`];
  }),
  // A NUL ends a C string: no process can be given one.
  content('texts-without-nul', (fields) => wrongTexts(fields, (text) => text.includes('\0'))),
  // A secret among arguments would be seen by everyone who can list processes, one in a URL wherever the URL is shown.
  content('references-in-place', (fields) => wrongTexts(fields, (text, secret) => !secret && hasReference(text))),
  content('references-well-formed', (fields) =>
    wrongTexts(fields, (text, secret) => secret && !hasOnlyReferences(text)),
  ),
  content('headers-not-the-protocols', function* ({ headers }) {
    for (const name of Object.keys(headers ?? {})) if (OWN_HEADERS.test(name)) yield ['headers', name];
  }),
  content('headers-of-one-line', function* ({ headers }) {
    for (const [name, text] of Object.entries(headers ?? {})) if (/[\r\n]/.test(text)) yield ['headers', name];
  }),
  // One header can not be both the entry's and the call's.
  rule('headers-not-the-contexts', 'INVALID_FIELD', ({ given }) => {
    const { forwardContext, headers } = given as EntryFields;
    const taken = Object.keys(headers ?? {}).find((name) => CONTEXT.has(name.toLowerCase()));
    return forwardContext && taken !== undefined
      ? [`headers.${taken}`, `"headers.${taken}" does not go with "forwardContext": true, which tells each call's own`]
      : undefined;
  }),
  content('urls-of-http', function* (fields) {
    for (const { at, url } of urlsOf(fields)) if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) yield [...at];
  }),
  // It would be repeated wherever the URL is shown; "headers" takes references instead.
  content('urls-without-password', function* (fields) {
    for (const { at, url } of urlsOf(fields)) {
      const { username, password } = new URL(url);
      if (username !== '' || password !== '') yield [...at];
    }
  }),
  // Of a name that leads somewhere private only the connection shows it: see `publicLookup`.
  rule('addresses-public', 'PRIVATE_ADDRESS', ({ given }) => {
    if ((given as EntryFields).allowPrivate) return undefined;
    for (const { at, url } of urlsOf(given as EntryFields)) {
      if (!isPrivateHost(url)) continue;
      const field = at.join('.');
      return [field, `"${field}" leads to a private address, which takes "allowPrivate": true`];
    }
    return undefined;
  }),
];
