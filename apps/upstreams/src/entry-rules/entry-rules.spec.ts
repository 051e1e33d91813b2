import { describe, expect, it } from '@jest/globals';
import { EntryRefusal } from '../entry-refusal.js';
import { ENTRY_RULES } from './entry-rules.js';
import type { Draft, EntryRule, OtherEntry } from './rule.js';
import { parseServerEntry } from '../server-entry.js';

const other = (spelled: string, source: OtherEntry['source'], mount: 'namespace' | 'root' = 'namespace') =>
  ({ spelled, source, entry: { name: spelled.toLowerCase().replaceAll(' ', '-'), mount } }) satisfies OtherEntry;
const OTHERS = [other('My Files', 'api'), other('search', 'file'), other('memory', 'builtin')];
const URL_OF = 'https://a.example/mcp';

const draft = (given: unknown, more: Partial<Draft> = {}): Draft => ({
  spelled: 'a',
  given,
  by: 'api',
  others: OTHERS,
  policy: { serverSecrets: new Set(['TOKEN', 'note.txt']), stdioByApi: true },
  ...more,
});

/** What an entry comes to: the code and field of its refusal, `accepted`, or `broken` when a check can not cope with it. */
function outcome(of: Draft, rules: readonly EntryRule[] = ENTRY_RULES): string {
  try {
    parseServerEntry(of, rules);
    return 'accepted';
  } catch (error) {
    return error instanceof EntryRefusal ? `${error.code} ${error.field}` : 'broken';
  }
}

const oauth = (more: object) => ({ url: URL_OF, oauth: { clientId: 'a', clientSecret: 'b', ...more } });

/** The matrix of acceptance: an entry, and what must come of it. Each rule is needed by one line at least. */
const MATRIX: readonly (readonly [Draft, string])[] = [
  [draft({ command: 'x' }), 'accepted'],
  [draft({ url: URL_OF }), 'accepted'],
  [draft({ command: 'x' }, { spelled: 'My Files' }), 'accepted'],
  [draft({ command: 'x', env: { A: '${env:TOKEN} ${file:note.txt}' } }), 'accepted'],
  [draft({ command: 'x', env: { A: '${env:OTHER}' }, mount: 'root' }, { by: 'file', others: [] }), 'accepted'],
  [draft({ url: URL_OF }, { policy: { serverSecrets: new Set(), stdioByApi: false } }), 'accepted'],
  [draft({ url: 'http://127.0.0.1/mcp', allowPrivate: true }), 'accepted'],
  [draft({ command: 'x', forwardContext: true }), 'accepted'],
  [draft({ url: URL_OF, headers: { 'X-Task-ID': 'y' } }), 'accepted'],
  [draft({ url: URL_OF, headers: { 'X-Api-Key': 'y' }, forwardContext: true }), 'accepted'],

  [draft({ command: 'x' }, { spelled: '-a' }), 'INVALID_NAME name'],
  [draft({ command: 'x' }, { spelled: 'x'.repeat(33) }), 'INVALID_NAME name'],
  [draft({ command: 'x' }, { spelled: 'Gateway' }), 'RESERVED_NAME name'],
  [draft({ command: 'x' }, { spelled: 'search' }), 'READ_ONLY_ENTRY name'],
  [draft({ command: 'x' }, { spelled: 'memory' }), 'READ_ONLY_ENTRY name'],
  [draft({ command: 'x' }, { spelled: 'my-files' }), 'DUPLICATE_NAME name'],
  [draft({ command: 'x' }, { spelled: 'SEARCH' }), 'DUPLICATE_NAME name'],
  [draft({ command: 'x' }, { spelled: 'my files', by: 'file' }), 'DUPLICATE_NAME name'],

  [draft('x'), 'INVALID_FIELD entry'],
  [draft(null), 'INVALID_FIELD entry'],
  [draft([]), 'INVALID_FIELD entry'],
  [draft({ type: 'sse', url: URL_OF }), 'TRANSPORT_UNSUPPORTED type'],
  [draft({ command: 'x', url: URL_OF }), 'TRANSPORT_CONFLICT url'],
  [draft({ description: 'x' }), 'TRANSPORT_REQUIRED command'],
  [draft({ command: 'x', disabled: true }), 'UNKNOWN_FIELD disabled'],
  [draft(JSON.parse('{"command":"x","__proto__":{}}')), 'UNKNOWN_FIELD __proto__'],
  [draft({ url: URL_OF, args: [] }), 'TRANSPORT_CONFLICT args'],
  [draft({ command: 'x', headers: {} }), 'TRANSPORT_CONFLICT headers'],

  [draft({ command: 'x', type: 'pipe' }), 'INVALID_FIELD type'],
  [draft({ command: '' }), 'INVALID_FIELD command'],
  [draft({ command: 5 }), 'INVALID_FIELD command'],
  [draft({ command: 'x', args: 'y' }), 'INVALID_FIELD args'],
  [draft({ command: 'x', args: [5] }), 'INVALID_FIELD args.0'],
  [draft({ command: 'x', args: Array(257).fill('y') }), 'INVALID_FIELD args'],
  [draft({ command: 'x', env: { 'A B': 'y' } }), 'INVALID_FIELD env.A B'],
  [draft({ command: 'x', env: { A: 5 } }), 'INVALID_FIELD env.A'],
  [draft({ command: 'x', cwd: '' }), 'INVALID_FIELD cwd'],
  [draft({ url: '' }), 'INVALID_FIELD url'],
  [draft({ url: 5 }), 'INVALID_FIELD url'],
  [draft({ url: URL_OF, headers: { 'A B': 'y' } }), 'INVALID_FIELD headers.A B'],
  [draft({ command: 'x', enabled: 'yes' }), 'INVALID_FIELD enabled'],
  [draft({ command: 'x', description: 'x'.repeat(1_001) }), 'INVALID_FIELD description'],
  [draft({ command: 'x', hiddenTools: 'y' }), 'INVALID_FIELD hiddenTools'],
  [draft({ command: 'x', session: 'mine' }), 'INVALID_FIELD session'],
  [draft({ command: 'x', connectTimeoutSeconds: 0 }), 'INVALID_FIELD connectTimeoutSeconds'],
  [draft({ command: 'x', callTimeoutSeconds: 3_601 }), 'INVALID_FIELD callTimeoutSeconds'],
  [draft({ command: 'x', outputLimit: 1.5 }), 'INVALID_FIELD outputLimit'],
  [draft({ url: URL_OF, allowPrivate: 1 }), 'INVALID_FIELD allowPrivate'],
  [draft({ command: 'x', forwardContext: 'no' }), 'INVALID_FIELD forwardContext'],
  [draft(oauth({ other: 1 })), 'INVALID_FIELD oauth'],
  [draft({ command: 'x', mount: 'top' }), 'INVALID_FIELD mount'],

  [draft({ command: 'x', type: 'http' }), 'TRANSPORT_CONFLICT type'],
  [draft({ url: URL_OF, type: 'stdio' }), 'TRANSPORT_CONFLICT type'],
  [draft({ command: 'x\0' }), 'INVALID_FIELD command'],
  [draft({ command: 'x', env: { A: '\0' } }), 'INVALID_FIELD env.A'],
  [draft({ command: 'x', args: ['${env:TOKEN}'] }), 'INVALID_FIELD args.0'],
  [draft({ command: 'x', cwd: '${file:note.txt}' }), 'INVALID_FIELD cwd'],
  [draft({ url: `${URL_OF}?key=\${env:TOKEN}` }), 'INVALID_FIELD url'],
  [draft({ command: 'x', env: { A: '${HOME}' } }), 'INVALID_FIELD env.A'],
  [draft({ command: 'x', env: { A: '${file:../key}' } }), 'INVALID_FIELD env.A'],
  [draft(oauth({ clientSecret: '${other:x}' })), 'INVALID_FIELD oauth.clientSecret'],
  [draft({ url: URL_OF, headers: { 'MCP-Session-Id': 'y' } }), 'INVALID_FIELD headers.MCP-Session-Id'],
  [draft({ url: URL_OF, headers: { A: 'x\r\nHost: y' } }), 'INVALID_FIELD headers.A'],
  [draft({ url: URL_OF, headers: { 'x-task-id': 'y' }, forwardContext: true }), 'INVALID_FIELD headers.x-task-id'],
  [draft({ url: URL_OF, headers: { Traceparent: 'y' }, forwardContext: true }), 'INVALID_FIELD headers.Traceparent'],
  [draft({ url: 'ftp://a.example/' }), 'INVALID_FIELD url'],
  [draft({ url: 'no address' }), 'INVALID_FIELD url'],
  [draft({ url: 'https://u:p@a.example/' }), 'INVALID_FIELD url'],
  [draft(oauth({ tokenUrl: 'https://u:p@a.example/' })), 'INVALID_FIELD oauth.tokenUrl'],
  [draft({ url: 'http://169.254.169.254/' }), 'PRIVATE_ADDRESS url'],
  [draft(oauth({ tokenUrl: 'http://10.0.0.1/' })), 'PRIVATE_ADDRESS oauth.tokenUrl'],

  [draft({ command: 'x', mount: 'root' }), 'INVALID_FIELD mount'],
  [draft({ command: 'x', mount: 'root' }, { by: 'file', others: [other('b', 'file', 'root')] }), 'INVALID_FIELD mount'],
  [draft({ command: 'x' }, { policy: { serverSecrets: new Set(), stdioByApi: false } }), 'STDIO_NOT_ALLOWED command'],
  [draft({ command: 'x', env: { A: '${env:PATH}' } }), 'SECRET_NOT_ALLOWED env.A'],
  [draft({ command: 'x', env: { A: '${file:other}' } }), 'SECRET_NOT_ALLOWED env.A'],
  [draft({ url: URL_OF, headers: { A: 'Bearer ${env:PORTICO_KEY}' } }), 'SECRET_NOT_ALLOWED headers.A'],
  [draft(oauth({ clientSecret: '${env:OTHER}' })), 'SECRET_NOT_ALLOWED oauth.clientSecret'],
];

describe('[UP-1][UP-2] the rules of an entry', () => {
  it.each(MATRIX.map(([of, expected]) => [JSON.stringify([of.by, of.spelled, of.given]).slice(0, 120), of, expected]))(
    '%s',
    (_name, of, expected) => {
      expect(outcome(of as Draft)).toBe(expected);
    },
  );

  it('have names of their own', () => {
    const ids = ENTRY_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(ENTRY_RULES.map(({ id }) => [id]))('none can be left out: %s', (id) => {
    const others = ENTRY_RULES.filter((rule) => rule.id !== id);
    expect(MATRIX.filter(([of, expected]) => outcome(of, others) !== expected)).not.toEqual([]);
  });

  it('each tell what is wrong in a sentence that repeats no secret', () => {
    const secret = 's3cret';
    for (const given of [
      { command: 'x', env: { A: `${secret}\${HOME}` } },
      { command: 'x', args: [`--token=${secret}\0`] },
      { url: `ftp://${secret}/` },
      { url: URL_OF, headers: { A: `${secret}\n` } },
      oauth({ clientSecret: `${secret}\${x}` }),
    ]) {
      const refused = (): unknown => parseServerEntry(draft(given));
      expect(refused).toThrow(/^"[a-z]+(\.\w+)*" is another text, but .* takes /i);
      expect(refused).not.toThrow(secret);
    }
  });
});
