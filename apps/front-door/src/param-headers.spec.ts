import { describe, expect, it } from '@jest/globals';
import { McpServer, fromJsonSchema } from '@modelcontextprotocol/server';
import { sdkServer } from '../test/sdk-server.js';
import { paramDeclarations } from './param-declarations.js';
import { checkParamHeaders } from './param-headers.js';

const schema = {
  type: 'object' as const,
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    at: {
      type: 'object',
      properties: {
        zone: { type: 'string', 'x-mcp-header': 'Zone' },
        hasOwnProperty: { type: 'string', 'x-mcp-header': 'Own' },
      },
    },
    other: { type: 'string' },
  },
};
const scan = paramDeclarations(schema);
const declarations = scan.valid ? scan.declarations : [];

const sdk = sdkServer(() => {
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool(
    'x',
    {
      inputSchema: fromJsonSchema<Record<string, unknown>>({ type: 'object', properties: schema.properties as never }),
    },
    () => ({ content: [] }),
  );
  return server;
});

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('[FD-14] x-mcp-header declarations', () => {
  it('are read along properties, in order, and their header is known as node:http keys it', () => {
    expect(declarations.map(({ path, header, key, type }) => [path.join('/'), header, key, type])).toEqual([
      ['region', 'Mcp-Param-Region', 'mcp-param-region', 'string'],
      ['count', 'Mcp-Param-Count', 'mcp-param-count', 'integer'],
      ['dry', 'Mcp-Param-Dry-Run', 'mcp-param-dry-run', 'boolean'],
      ['at/zone', 'Mcp-Param-Zone', 'mcp-param-zone', 'string'],
      ['at/hasOwnProperty', 'Mcp-Param-Own', 'mcp-param-own', 'string'],
    ]);
  });

  const at = { type: 'string', 'x-mcp-header': 'A' };
  it.each<[string, Record<string, unknown>]>([
    ['the root', { ...at, type: 'object' }],
    ...[
      'items',
      'contains',
      'additionalProperties',
      'unevaluatedProperties',
      'unevaluatedItems',
      'propertyNames',
      'not',
      'if',
      'then',
      'else',
    ].map((keyword): [string, Record<string, unknown>] => [keyword, { properties: { a: { [keyword]: at } } }]),
    ...['oneOf', 'anyOf', 'allOf', 'prefixItems'].map((keyword): [string, Record<string, unknown>] => [
      keyword,
      { [keyword]: [{}, at] },
    ]),
    ...['$defs', 'definitions', 'patternProperties', 'dependentSchemas'].map(
      (keyword): [string, Record<string, unknown>] => [keyword, { [keyword]: { a: at } }],
    ),
    ['properties below a closed keyword', { allOf: [{ properties: { a: at } }] }],
    ['a number', { properties: { a: { ...at, type: 'number' } } }],
    ['no type', { properties: { a: { 'x-mcp-header': 'A' } } }],
    ['several types', { properties: { a: { ...at, type: ['string', 'null'] } } }],
    ['no string', { properties: { a: { ...at, 'x-mcp-header': 7 } } }],
    ['a line break', { properties: { a: { ...at, 'x-mcp-header': 'A\r\nB' } } }],
    ['twice, but for case', { properties: { a: at, b: { ...at, 'x-mcp-header': 'a' } } }],
  ])('are invalid at %s', (_where, invalid) => expect(paramDeclarations(invalid)).toMatchObject({ valid: false }));

  it('are not looked for in data, and a property may be called like a keyword', () => {
    const properties = {
      items: { type: 'string', 'x-mcp-header': 'Items' },
      a: { default: { 'x-mcp-header': '!' }, enum: [{ 'x-mcp-header': 1 }] },
    };
    expect(paramDeclarations({ type: 'object', properties })).toMatchObject({
      valid: true,
      declarations: [{ path: ['items'] }],
    });
  });

  it('cost no stack and no more than the schema is long', () => {
    let deep: Record<string, unknown> = { type: 'string', 'x-mcp-header': 'Deep' };
    for (let level = 0; level < 100_000; level++) deep = { allOf: [deep] };
    expect(paramDeclarations(deep).valid).toBe(false);
  });
});

describe('[FD-14] Mcp-Param-* headers against the arguments', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['agree', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }],
    ['any case of the name', { region: 'eu' }, { 'mcp-PARAM-region': 'eu' }],
    ['case of the value counts', { region: 'eu' }, { 'Mcp-Param-Region': 'EU' }],
    ['absent header', { region: 'eu' }, {}],
    ['differs', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }],
    ['empty both', { region: '' }, { 'Mcp-Param-Region': '' }],
    ['argument absent, header there', {}, { 'Mcp-Param-Region': 'eu' }],
    ['argument null', { region: null }, { 'Mcp-Param-Region': 'eu' }],
    ['argument of another kind', { region: { a: 1 } }, {}],
    ['base64', { region: 'größe' }, { 'Mcp-Param-Region': base64('größe') }],
    ['base64 of another', { region: 'größe' }, { 'Mcp-Param-Region': base64('klein') }],
    ['base64 of an umlaut and a smile', { region: 'ä🙂' }, { 'Mcp-Param-Region': base64('ä🙂') }],
    ['broken base64', { region: 'x' }, { 'Mcp-Param-Region': '=?base64?@@@?=' }],
    ['unpadded base64', { region: 'x' }, { 'Mcp-Param-Region': '=?base64?eA?=' }],
    ['base64 that is not UTF-8', { region: 'x' }, { 'Mcp-Param-Region': '=?base64?/w==?=' }],
    ['empty base64', { region: '' }, { 'Mcp-Param-Region': '=?base64??=' }],
    ['half a sentinel', { region: '=?base64?eA==' }, { 'Mcp-Param-Region': '=?base64?eA==' }],
    ['integer', { count: 42 }, { 'Mcp-Param-Count': '42' }],
    ['integer, spelled with a fraction', { count: 42 }, { 'Mcp-Param-Count': '42.0' }],
    ['integer, another', { count: 42 }, { 'Mcp-Param-Count': '43' }],
    ['integer, exponent', { count: 100 }, { 'Mcp-Param-Count': '1e2' }],
    ['integer, in hex', { count: 16 }, { 'Mcp-Param-Count': '0x10' }],
    ['integer that is text', { count: '42' }, { 'Mcp-Param-Count': '42' }],
    ['beyond safe integers', { count: 2 ** 60 }, {}],
    ['boolean', { dry: true }, { 'Mcp-Param-Dry-Run': 'true' }],
    ['boolean, other case', { dry: true }, { 'Mcp-Param-Dry-Run': 'True' }],
    ['nested', { at: { zone: 'b' } }, { 'Mcp-Param-Zone': 'b' }],
    ['nested, absent header', { at: { zone: 'b' } }, {}],
    ['nested in nothing', { at: null }, {}],
    ['a header nobody declared', { other: 'x' }, { 'Mcp-Param-Other': 'y' }],
    ['two, the second wrong', { region: 'eu', dry: false }, { 'Mcp-Param-Region': 'eu', 'Mcp-Param-Dry-Run': 'true' }],
  ])('%s: as the SDK judges it', async (_what, args, headers) => {
    const { status, body } = await sdk.modern('tools/call', { name: 'x', arguments: args }, headers);
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const rejection = checkParamHeaders(declarations, args, lower);
    if (body.error?.code === -32020) {
      expect(status).toBe(400);
      expect({ code: -32020, ...rejection }).toEqual(body.error);
    } else expect(rejection).toBeUndefined();
  });

  it('never takes an inherited property for an argument', () =>
    expect(checkParamHeaders(declarations, { at: {} }, {})).toBeUndefined());
  it.each([undefined, null, 7, 'x', []])('survives arguments that are %j', (args) =>
    expect(checkParamHeaders(declarations, args, {})).toBeUndefined(),
  );
});
