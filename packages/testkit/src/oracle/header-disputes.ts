import { envelope, legacy, LEGACY, MODERN, modern, sentinel } from './compose.js';
import type { WireRequest } from './compose.js';

const NAMED = [
  ['tools/call', 'echo', { name: 'echo', arguments: { text: 'x' } }],
  ['prompts/get', 'plain', { name: 'plain' }],
  ['resources/read', 'test://a/text', { uri: 'test://a/text' }],
] as const;
const UNNAMED = ['tools/list', 'prompts/list', 'resources/list', 'server/discover'] as const;

/** 2026 requests whose headers and body disagree, or agree in ways that take decoding; then those of 2025. */
export function headerDisputes(): WireRequest[] {
  return [
    ...UNNAMED.flatMap((method) => disputesOfEvery(method, {})),
    ...NAMED.flatMap(([method, name, params]) => [
      ...disputesOfEvery(method, params),
      ...disputesOfNamed(method, name, params),
    ]),
    ...envelopes(),
    ...paramHeaders(),
    ...legacyVersions(),
  ];
}

const disputesOfEvery = (method: string, params: Record<string, unknown>): WireRequest[] => {
  const variant = (what: string, headers: Record<string, string | undefined>) =>
    modern(`${method} ${what}`, method, params, { headers });
  return [
    variant('without a version header', { 'MCP-Protocol-Version': undefined }),
    variant('with a 2025 version header', { 'MCP-Protocol-Version': '2025-11-25' }),
    variant('with an unknown version header', { 'MCP-Protocol-Version': '2031-01-01' }),
    variant('with a padded version header', { 'MCP-Protocol-Version': ` ${MODERN} ` }),
    variant('without Mcp-Method', { 'Mcp-Method': undefined }),
    variant('with another Mcp-Method', { 'Mcp-Method': 'prompts/none' }),
    variant('with Mcp-Method in capitals', { 'Mcp-Method': method.toUpperCase() }),
    variant('with an empty Mcp-Method', { 'Mcp-Method': '' }),
    variant('with header names in capitals', {
      'Mcp-Method': undefined,
      'MCP-METHOD': method,
      'MCP-Protocol-Version': undefined,
      'MCP-PROTOCOL-VERSION': MODERN,
    }),
  ];
};

const disputesOfNamed = (method: string, name: string, params: Record<string, unknown>): WireRequest[] => {
  const variant = (what: string, header: string | undefined) =>
    modern(`${method} ${what}`, method, params, { headers: { 'Mcp-Name': header } });
  return [
    variant('without Mcp-Name', undefined),
    variant('with another Mcp-Name', 'other'),
    variant('with Mcp-Name in capitals', name.toUpperCase()),
    variant('with an empty Mcp-Name', ''),
    variant('with a padded Mcp-Name', `  ${name}\t`),
    variant('with Mcp-Name in Base64', sentinel(name)),
    variant('with another Mcp-Name in Base64', sentinel('other')),
    variant('with Mcp-Name in broken Base64', '=?base64?%%%?='),
    variant('with Mcp-Name in unpadded Base64', sentinel('a').replace('==', '')),
    variant('with Mcp-Name in Base64 of no text', '=?base64?/w==?='),
    variant('with Mcp-Name in half a sentinel', `=?base64?${Buffer.from(name).toString('base64')}`),
  ];
};

function envelopes(): WireRequest[] {
  const key = (name: string) => `io.modelcontextprotocol/${name}`;
  const without = (name: string) => {
    const { [key(name)]: _, ...rest } = envelope();
    return rest;
  };
  const metas: readonly [string, unknown][] = [
    ['no _meta', undefined],
    ['a null _meta', null],
    ['a text as _meta', 'x'],
    ['a list as _meta', []],
    ['an empty _meta', {}],
    ['no protocolVersion', without('protocolVersion')],
    ['no clientCapabilities', without('clientCapabilities')],
    ['no clientInfo', without('clientInfo')],
    ['a number as protocolVersion', envelope({ [key('protocolVersion')]: 20260728 })],
    ['an unknown protocolVersion', envelope({ [key('protocolVersion')]: '2031-01-01' })],
    ['a 2025 protocolVersion', envelope({ [key('protocolVersion')]: '2025-11-25' })],
    ['a list as clientCapabilities', envelope({ [key('clientCapabilities')]: [] })],
    ['null as clientCapabilities', envelope({ [key('clientCapabilities')]: null })],
    ['a text as clientInfo', envelope({ [key('clientInfo')]: 'me' })],
    ['a nameless clientInfo', envelope({ [key('clientInfo')]: { version: '1' } })],
    ['an unknown log level', envelope({ [key('logLevel')]: 'shout' })],
    ['an object as progressToken', envelope({ progressToken: {} })],
    ['unknown keys', envelope({ 'com.example/x': { y: 1 }, other: true })],
    ['prototype keys', envelope(JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object as never)],
  ];
  const methods = [
    ['tools/list', {}],
    ['tools/call', { name: 'echo', arguments: {} }],
    ['server/discover', {}],
  ] as const;
  return [
    ...methods.flatMap(([method, params]) =>
      metas.map(([what, _meta]) => modern(`${method} with ${what}`, method, { ...params, _meta })),
    ),
    ...['v999.0.0', '2025-03-26', ''].map((version) =>
      modern(
        `tools/list of ${JSON.stringify(version)} in header and body`,
        'tools/list',
        { _meta: envelope({ [key('protocolVersion')]: version }) },
        { headers: { 'MCP-Protocol-Version': version } },
      ),
    ),
  ];
}

function paramHeaders(): WireRequest[] {
  const call = (what: string, given: Record<string, unknown>, headers: Record<string, string>) =>
    modern(`region ${what}`, 'tools/call', { name: 'region', arguments: given }, { headers });
  return [
    call('with its header', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }),
    call('with its header in Base64', { region: 'eü' }, { 'Mcp-Param-Region': sentinel('eü') }),
    call('without its header', { region: 'eu' }, {}),
    call('with another header', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }),
    call('with another case', { region: 'eu' }, { 'Mcp-Param-Region': 'EU' }),
    call('with broken Base64', { region: 'eu' }, { 'Mcp-Param-Region': '=?base64?ZXU?=' }),
    call('with a header and no argument', {}, { 'Mcp-Param-Region': 'eu' }),
    call('with a header and null', { region: null }, { 'Mcp-Param-Region': 'eu' }),
    call('with null', { region: null }, {}),
    call('with a whole number', { count: 42 }, { 'Mcp-Param-Count': '42' }),
    call('with a number spelled otherwise', { count: 42 }, { 'Mcp-Param-Count': '42.0' }),
    call('with another number', { count: 42 }, { 'Mcp-Param-Count': '43' }),
    call('with a number as no number', { count: 42 }, { 'Mcp-Param-Count': '0x2a' }),
    call('with a deep value', { deep: { flag: true } }, { 'Mcp-Param-Flag': 'true' }),
    call('without the header of a deep value', { deep: { flag: true } }, {}),
    call('with a header nobody declared', {}, { 'Mcp-Param-Other': 'x' }),
    call('with an object for text', { region: { a: 1 } }, {}),
  ];
}

const legacyVersions = (): WireRequest[] =>
  LEGACY.flatMap((revision) =>
    (
      [
        ['no version header', undefined],
        ['an older version header', '2025-03-26'],
        ['a much older version header', '2024-11-05'],
        ['an unknown version header', '2031-01-01'],
        ['nonsense as version header', 'latest'],
      ] as const
    ).map(([what, version]) =>
      legacy(revision, `tools/list with ${what}`, 'tools/list', {}, { headers: { 'MCP-Protocol-Version': version } }),
    ),
  );
