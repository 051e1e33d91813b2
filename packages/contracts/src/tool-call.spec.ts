import { describe, expect, it } from '@jest/globals';
import { ToolCallRequest, ToolResult } from './tool-call.js';

const fits = (schema: typeof ToolCallRequest | typeof ToolResult, value: unknown): boolean =>
  schema.safeParse(value).success;

describe('a tool call on the bus', () => {
  it.each([
    { tool: 't', arguments: {} },
    {
      tool: 't',
      arguments: { a: [1] },
      meta: {},
      client: { clientInfo: {}, logLevel: 'info' },
      requestState: 's',
      inputResponses: {},
    },
  ])('%j is one, and passes as it is', (value) => {
    expect(ToolCallRequest.parse(value)).toBe(value);
  });

  it.each([
    null,
    [],
    'x',
    {},
    { tool: '', arguments: {} },
    { tool: 1, arguments: {} },
    { tool: 't' },
    { tool: 't', arguments: [] },
    { tool: 't', arguments: {}, meta: 'x' },
    { tool: 't', arguments: {}, client: { clientInfo: [] } },
    { tool: 't', arguments: {}, client: { logLevel: 1 } },
    { tool: 't', arguments: {}, requestState: {} },
    { tool: 't', arguments: {}, inputResponses: [] },
  ])('%j is none', (value) => expect(fits(ToolCallRequest, value)).toBe(false));
});

describe('the result of a tool on the bus', () => {
  it.each([
    { content: [] },
    { content: [{ type: 'hologram', x: 1 }], isError: true, 'x-more': 1 },
    { structuredContent: null },
    { resultType: 'input_required', inputRequests: {} },
  ])('%j is one, and passes as it is', (value) => {
    expect(ToolResult.parse(value)).toBe(value);
  });

  it.each([
    null,
    [],
    'x',
    {},
    { content: 'x' },
    { content: [1] },
    { content: [{}] },
    { content: [], isError: 1 },
    { content: [], _meta: [] },
    { resultType: 1 },
  ])('%j is none', (value) => expect(fits(ToolResult, value)).toBe(false));
});
