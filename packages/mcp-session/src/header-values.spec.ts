import { describe, expect, it } from '@jest/globals';
import { headerValue, mirroredParams, paramHeaders } from './header-values.js';

const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('[FD-14] mirroredParams', () => {
  it('finds arguments at any depth of properties', () => {
    const found = mirroredParams(
      schema({
        region: { type: 'string', 'x-mcp-header': 'Region' },
        at: schema({ zone: { type: 'integer', 'x-mcp-header': 'Zone' } }),
        plain: { type: 'number' },
      }),
    );
    expect(found).toEqual([
      { path: ['region'], header: 'Mcp-Param-Region' },
      { path: ['at', 'zone'], header: 'Mcp-Param-Zone' },
    ]);
  });

  const annotated = { type: 'string', 'x-mcp-header': 'A' };
  it.each([
    ['a number', schema({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['an object', schema({ a: { type: 'object', 'x-mcp-header': 'A' } })],
    ['no type', schema({ a: { 'x-mcp-header': 'A' } })],
    ['an empty name', schema({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['a name that is no token', schema({ a: { type: 'string', 'x-mcp-header': 'A B' } })],
    ['a name with a line break', schema({ a: { type: 'string', 'x-mcp-header': 'A\r\nX' } })],
    ['a name that is no string', schema({ a: { type: 'string', 'x-mcp-header': 7 } })],
    ['one name twice', schema({ a: annotated, b: { type: 'string', 'x-mcp-header': 'a' } })],
    ['the schema itself', { ...annotated }],
    ['items', schema({ a: { type: 'array', items: annotated } })],
    ['oneOf', schema({}, { oneOf: [schema({ a: annotated })] })],
    ['$defs', schema({}, { $defs: { d: annotated } })],
    ['patternProperties', schema({}, { patternProperties: { '^a': annotated } })],
    ['if', schema({}, { if: schema({ a: annotated }) })],
  ])('refuses %s', (_what, invalid) => {
    expect(mirroredParams(invalid)).toEqual({ invalid: expect.any(String) });
  });

  it('refuses what is nested without end instead of failing', () => {
    let deep: object = annotated;
    for (let n = 0; n < 50_000; n++) deep = { not: deep };
    expect(mirroredParams(deep as never)).toEqual({ invalid: expect.any(String) });
  });
});

describe('paramHeaders', () => {
  const mirrored = [
    { path: ['a'], header: 'Mcp-Param-A' },
    { path: ['o', 'b'], header: 'Mcp-Param-B' },
  ];
  it.each([
    [{ a: 'eu', o: { b: true } }, ['Mcp-Param-A', 'eu', 'Mcp-Param-B', 'true']],
    [{ a: 42, o: { b: -1 } }, ['Mcp-Param-A', '42', 'Mcp-Param-B', '-1']],
    [{ a: null, o: {} }, []],
    [{ a: { b: 1 }, o: 'text' }, []],
    [{ a: 2 ** 60 }, []],
  ])('of %j are %j', (args, headers) => {
    expect(paramHeaders(mirrored, args)).toEqual(headers);
  });

  it('never reads what an object inherits', () => {
    expect(paramHeaders([{ path: ['constructor', 'name'], header: 'Mcp-Param-A' }], {})).toEqual([]);
  });
});

describe('headerValue', () => {
  it.each(['plain', 'with space', 'a\tb', '~!@#'])('leaves %j as it is', (value) => {
    expect(headerValue(value)).toBe(value);
  });

  it.each(['', ' lead', 'trail ', 'ünïcode', 'a\r\nX-Evil: 1', '\0', '=?base64?eA==?='])('wraps %j', (value) => {
    const encoded = headerValue(value);
    expect(encoded).toMatch(/^=\?base64\?[A-Za-z0-9+/=]*\?=$/);
    expect(Buffer.from(encoded.slice(9, -2), 'base64').toString()).toBe(value);
  });
});
