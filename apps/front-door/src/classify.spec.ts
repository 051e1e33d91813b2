import { describe, expect, it } from '@jest/globals';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { classify } from './classify.js';

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};
const metas: unknown[] = [
  undefined,
  null,
  'x',
  [],
  {},
  envelope,
  { ...envelope, progressToken: 1, other: 2 },
  { ...envelope, progressToken: 1.5 },
  { ...envelope, progressToken: {} },
  { ...envelope, 'io.modelcontextprotocol/logLevel': 'info' },
  { ...envelope, 'io.modelcontextprotocol/logLevel': 'loud' },
  { ...envelope, 'io.modelcontextprotocol/clientCapabilities': { sampling: 5 } },
  { ...envelope, 'io.modelcontextprotocol/clientInfo': 'x' },
  { ...envelope, 'io.modelcontextprotocol/clientInfo': undefined },
  { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' },
  { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' },
  { ...envelope, 'io.modelcontextprotocol/protocolVersion': 7 },
  { ...envelope, 'io.modelcontextprotocol/related-task': 'x' },
  { 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' } },
  { 'io.modelcontextprotocol/related-task': { taskId: 't' } },
  { progressToken: 'p' },
];
const ids: unknown[] = [1, 'a', 1.5, 2 ** 60, null, undefined];
const extras: Record<string, unknown>[] = [{}, { extra: 1 }, { result: {} }, { jsonrpc: '1.0' }, { method: 5 }];
const headers: Record<string, string>[] = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2027-01-01',
  ' 2026-07-28 ',
  undefined,
].flatMap((version) =>
  ['tools/call', 'tools/list', undefined].map((method) => ({
    ...(version !== undefined && { 'mcp-protocol-version': version }),
    ...(method !== undefined && { 'mcp-method': method }),
  })),
);

describe('[FD-3] the short way to a verdict', () => {
  it("is the SDK's verdict, the first time and every time, whatever the message", () => {
    let compared = 0;
    for (const method of ['tools/call', 'initialize'])
      for (const meta of metas)
        for (const id of ids)
          for (const extra of extras) {
            const params = meta === undefined ? undefined : { name: 'x', _meta: meta };
            const body = {
              jsonrpc: '2.0',
              ...(id !== undefined && { id }),
              method,
              ...(params && { params }),
              ...extra,
            };
            for (const given of headers) {
              const expected = classifyInboundRequest({
                httpMethod: 'POST',
                protocolVersionHeader: given['mcp-protocol-version'],
                mcpMethodHeader: given['mcp-method'],
                mcpNameHeader: undefined,
                body,
              });
              const { requestedVersion: _ours, ...rest } = expected as typeof expected & { requestedVersion?: string };
              for (let turn = 0; turn < 2; turn += 1) {
                const { requestedVersion: _theirs, ...verdict } = classify(given, body) as typeof expected & {
                  requestedVersion?: string;
                };
                if (JSON.stringify(verdict) !== JSON.stringify(rest))
                  expect({ given, body, verdict }).toEqual({ given, body, verdict: rest });
              }
              compared += 1;
            }
          }
    expect(compared).toBeGreaterThan(20_000);
  });

  // Each comes after the good one of which it is a variant, so that nothing remembered of that one can speak for it.
  it.each<[string, Record<string, unknown>]>(
    (['clientInfo', 'clientCapabilities', 'logLevel', 'protocolVersion', 'unheard-of'] as const).flatMap((claim) =>
      [null, undefined, 0, '', false, [], {}, [null], 'x'].map((value): [string, Record<string, unknown>] => [
        claim,
        { [`io.modelcontextprotocol/${claim}`]: value },
      ]),
    ),
  )('also of a message that differs from a good one by its %s: %j', (claim, difference) => {
    const request = (meta: Record<string, unknown>) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x', _meta: meta },
    });
    const given = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
    const key = `io.modelcontextprotocol/${claim}`;
    const complete = { ...envelope, 'io.modelcontextprotocol/logLevel': 'info' };
    const { [key]: _claim, ...incomplete } = complete as Record<string, unknown>;
    for (const good of [complete, envelope, incomplete]) {
      classify(given, request(good));
      const body = request({ ...good, ...difference });
      const expected = classifyInboundRequest({
        httpMethod: 'POST',
        protocolVersionHeader: '2026-07-28',
        mcpMethodHeader: 'tools/call',
        body,
      });
      expect(JSON.stringify(classify(given, body))).toBe(JSON.stringify(expected));
    }
  });

  it.each([undefined, null, 1, 'x', [], [{}], { params: {} }])('and for %j', (body) => {
    expect(classify({}, body)).toEqual(classifyInboundRequest({ httpMethod: 'POST', body }));
  });
});
