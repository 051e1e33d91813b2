import { describe, expect, it } from '@jest/globals';
import { ServersFileError, parseServersFile, readServersText } from './servers-file.js';

const file = (servers: unknown): string => JSON.stringify({ mcpServers: servers });
const entries = (text: string) => parseServersFile('/at/mcp.json', text).map(({ entry }) => entry);
const refusal = (text: string): string => {
  try {
    parseServersFile('/at/mcp.json', text);
  } catch (error) {
    expect(error).toBeInstanceOf(ServersFileError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
};
/** The sentence for an entry named `a`. */
const entryRefusal = (entry: unknown): string => refusal(file({ a: entry }));

describe('a servers file', () => {
  it('gives its entries, complete', () => {
    const [local, remote] = entries(
      file({
        'My Files': {
          type: 'stdio',
          command: 'npx',
          args: ['-y', 'some-server'],
          env: { TOKEN: '${env:TOKEN}' },
          cwd: 'x',
        },
        search: { type: 'http', url: 'https://search.example/mcp', headers: { Authorization: 'Bearer ${file:token}' } },
      }),
    );
    expect(local).toEqual({
      name: 'my-files',
      transport: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', 'some-server'],
        env: { TOKEN: '${env:TOKEN}' },
        cwd: 'x',
      },
      enabled: true,
      description: '',
      hiddenTools: new Set(),
      connectTimeoutMs: 180_000,
      callTimeoutMs: undefined,
      outputLimit: 100_000,
      mount: 'namespace',
      session: 'shared',
      forwardContext: false,
    });
    expect(remote).toMatchObject({
      name: 'search',
      transport: {
        kind: 'http',
        url: 'https://search.example/mcp',
        headers: { Authorization: 'Bearer ${file:token}' },
        allowPrivate: false,
      },
      connectTimeoutMs: 20_000,
    });
  });

  it('takes every optional field', () => {
    const [entry] = entries(
      file({
        a: {
          url: 'http://127.0.0.1:9/mcp',
          allowPrivate: true,
          enabled: false,
          description: 'An entry.',
          hiddenTools: ['x'],
          session: 'shared',
          forwardContext: true,
          connectTimeoutSeconds: 1.5,
          callTimeoutSeconds: 7,
          outputLimit: 20_000,
          mount: 'root',
        },
      }),
    );
    expect(entry).toMatchObject({
      transport: { allowPrivate: true },
      enabled: false,
      description: 'An entry.',
      hiddenTools: new Set(['x']),
      connectTimeoutMs: 1_500,
      callTimeoutMs: 7_000,
      outputLimit: 20_000,
      mount: 'root',
      forwardContext: true,
    });
  });

  it.each([
    ['npx', 180_000],
    ['/usr/bin/uvx', 180_000],
    ['C:\\node\\npx.cmd', 180_000],
    ['node', 20_000],
    ['not-npx-really', 20_000],
  ])('[UP-5] gives %s %i ms to connect', (command, connectTimeoutMs) => {
    expect(entries(file({ a: { command } }))).toMatchObject([{ connectTimeoutMs }]);
    expect(entries(file({ a: { command, connectTimeoutSeconds: 3 } }))).toMatchObject([{ connectTimeoutMs: 3_000 }]);
  });

  it('[UP-7] raises an output limit that is too low to be of use', () => {
    expect(entries(file({ a: { command: 'x', outputLimit: 1 } }))).toMatchObject([{ outputLimit: 12_000 }]);
  });

  it.each([
    ['no JSON', '{ "mcpServers": {,', 'mcp.json, line 1: it is not JSON, but it takes { "mcpServers": { … } }.'],
    ['no servers', '{}', 'mcp.json: it has no object "mcpServers", but it takes { "mcpServers": { … } }.'],
    [
      'a list of servers',
      '{"mcpServers":[]}',
      'mcp.json: it has no object "mcpServers", but it takes { "mcpServers": { … } }.',
    ],
    [
      'something else beside',
      '{"mcpServers":{},"inputs":[]}',
      'mcp.json: "inputs" is not known here, it takes { "mcpServers": { … } }.',
    ],
  ])('refuses %s', (_what, text, sentence) => {
    expect(refusal(text)).toBe(sentence);
  });

  it('does not repeat the text around a syntax error, which may hold a secret', () => {
    expect(refusal('{"mcpServers":{"a":{"headers":{"Authorization":"Bearer s3cret" oops')).not.toContain('s3cret');
  });

  it('says which file can not be read', () => {
    expect(() => readServersText('/nowhere/at/all/mcp.json')).toThrow(
      'MCP_SERVERS_FILE mcp.json can not be read (ENOENT).',
    );
    expect(() => readServersText('/usr')).toThrow('MCP_SERVERS_FILE usr can not be read (EISDIR).');
  });

  it.each([
    [
      { 'A b': { command: 'x' }, 'a-B': { command: 'x' } },
      'mcp.json, entry "a-B": "A b" and "a-B" would both be named "a-b".',
    ],
    [
      { GitHub: { command: 'x' } },
      'mcp.json, entry "GitHub": the name "GitHub" belongs to a domain of the gateway itself.',
    ],
    [
      { gateway: { command: 'x' } },
      'mcp.json, entry "gateway": the name "gateway" belongs to a domain of the gateway itself.',
    ],
    [
      { '': { command: 'x' } },
      'mcp.json, entry "": the name "" is not usable, a name takes 1 to 32 characters and begins with a letter or digit.',
    ],
    [
      { _a: { command: 'x' } },
      'mcp.json, entry "_a": the name "_a" is not usable, a name takes 1 to 32 characters and begins with a letter or digit.',
    ],
    [
      { ['x'.repeat(33)]: { command: 'x' } },
      `mcp.json, entry "${'x'.repeat(33)}": the name "${'x'.repeat(33)}" is not usable, a name takes 1 to 32 characters and begins with a letter or digit.`,
    ],
    [
      { a: { command: 'x', mount: 'root' }, b: { command: 'x', mount: 'root' } },
      'mcp.json, entry "b": "mount" is "root", but "a" is mounted there.',
    ],
  ])('refuses the names of %j', (servers, sentence) => {
    expect(refusal(file(servers))).toBe(sentence);
  });

  it.each([
    [5, 'it is a number, but it takes an object'],
    [{}, 'it has neither "command" nor "url", but it takes one of them'],
    [{ command: 'x', url: 'https://a.example/' }, '"url" does not go with "command"'],
    [
      { type: 'sse', url: 'https://a.example/' },
      '"type" is "sse", a transport withdrawn from MCP; it takes "stdio" or "http"',
    ],
    [{ type: 'http', command: 'x' }, '"type" is "http", which does not go with "command"'],
    [{ type: 'stdio', url: 'https://a.example/' }, '"type" is "stdio", which does not go with "url"'],
    [{ type: 'pipe', command: 'x' }, '"type" is "pipe", but it takes "stdio" or "http"'],
    [{ url: 'https://a.example/', args: [] }, '"args" does not go with "url"'],
    [{ command: 'x', headers: {} }, '"headers" does not go with "command"'],
    [{ command: 'x', allowPrivate: true }, '"allowPrivate" does not go with "command"'],
    [{ command: 'x', disabled: true }, '"disabled" is not a field of an entry'],
    [{ command: 'x', constructor: 1 }, '"constructor" is not a field of an entry'],
    [{ command: '' }, '"command" is "", but it takes the name or path of a program'],
    [
      { command: 'x', args: 'y' },
      '"args" is another text, but it takes a list of texts without references (secrets go into "env")',
    ],
    [
      { command: 'x', args: ['ok', 5] },
      '"args.1" is a number, but "args" takes a list of texts without references (secrets go into "env")',
    ],
    [{ command: 'x', enabled: 'yes' }, '"enabled" is "yes", but it takes true or false'],
    [{ command: 'x', outputLimit: 0 }, '"outputLimit" is 0, but it takes a whole number of characters above 0'],
    [{ command: 'x', callTimeoutSeconds: 0 }, '"callTimeoutSeconds" is 0, but it takes a number above 0, at most 3600'],
    [{ command: 'x', hiddenTools: {} }, '"hiddenTools" is an object, but it takes a list of names of tools'],
    [{ command: 'x', mount: 'top' }, '"mount" is "top", but it takes "namespace" or "root"'],
    [
      { url: 'ftp://a.example/' },
      '"url" is another text, but it takes an http or https URL without user name and password',
    ],
    [
      { url: 'https://u:p@a.example/' },
      '"url" is another text, but it takes an http or https URL without user name and password',
    ],
    [{ url: 'http://localhost:1/mcp' }, '"url" leads to a private address, which takes "allowPrivate": true'],
    [{ url: 'http://169.254.169.254/' }, '"url" leads to a private address, which takes "allowPrivate": true'],
    [
      { url: 'https://a.example/', headers: { 'X-Task-ID': 'x' }, forwardContext: true },
      '"headers.X-Task-ID" does not go with "forwardContext": true, which tells each call\'s own',
    ],
  ])('refuses the entry %j', (entry, sentence) => {
    expect(entryRefusal(entry)).toBe(`mcp.json, entry "a": ${sentence}.`);
  });

  it.each([
    [{ command: 'x', env: { 'A B': 'x' } }],
    [{ command: 'x', env: { A: 's3cret ${HOME}' } }],
    [{ command: 'x', env: { A: 's3cret ${env:a b}' } }],
    [{ command: 'x', env: { A: 's3cret ${file:../key}' } }],
    [{ command: 'x', env: { A: 's3cret ${file:..}' } }],
    [{ command: 'x', env: { A: 's3cret\0' } }],
    [{ command: 'x', env: 's3cret' }],
    [{ command: 'x', args: ['${env:TOKEN}'] }],
    [{ command: 'x\0' }],
    [{ url: 'https://a.example/', headers: { Authorization: 's3cret\r\nHost: b' } }],
    [{ url: 'https://a.example/', headers: { 'Mcp-Session-Id': 's3cret' } }],
    [{ url: 'https://a.example/', headers: { host: 's3cret' } }],
    [{ url: 'https://a.example/', headers: { 'A B': 's3cret' } }],
    [{ url: 'https://a.example/?key=${env:KEY}' }],
    [{ url: 'https://a.example/', oauth: { clientId: 'a', clientSecret: 's3cret', other: 1 } }],
  ])('refuses %j, and repeats no secret', (entry) => {
    const sentence = entryRefusal(entry);
    expect(sentence).toMatch(/^mcp\.json, entry "a": "[a-z]+(\..+)?" is .* takes /i);
    expect(sentence).not.toContain('s3cret');
  });
});
