import { describe, expect, it } from '@jest/globals';
import { decodeParamHeader, paramHeaderMismatch } from './param-headers.js';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  },
};

describe('decodeParamHeader', () => {
  it.each([
    ['eu', 'eu'],
    [' eu ', 'eu'],
    ['=?base64?ZcO8?=', 'eü'],
    ['ZXU=', 'ZXU='],
  ])('reads %p as %p', (header, value) => {
    expect(decodeParamHeader(header)).toBe(value);
  });

  it.each(['=?base64?ZXU?=', '=?base64?Z!!!?=', '=?base64?/w==?='])('reads nothing from %p', (header) => {
    expect(decodeParamHeader(header)).toBeUndefined();
  });
});

describe('paramHeaderMismatch', () => {
  it.each([
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ count: 42 }, { 'mcp-param-count': '42.0' }],
    [{ region: null }, {}],
    [{}, {}],
  ])('has nothing against %j with %j', (given, headers) => {
    expect(paramHeaderMismatch(SCHEMA, given, headers)).toBeUndefined();
  });

  it.each([
    [{ region: 'eu' }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }],
  ])('tells what is wrong with %j and %j', (given, headers) => {
    expect(paramHeaderMismatch(SCHEMA, given, headers)).toMatch(/Mcp-Param-Region/);
  });
});
