import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchange, startConformanceFixture } from '@portico/testkit';
import type { ConformanceFixture } from '@portico/testkit';

const PROTOCOL = 'io.modelcontextprotocol';
const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

describe('the conformance fixture', () => {
  let fixture: ConformanceFixture;
  beforeAll(async () => {
    fixture = await startConformanceFixture();
  });
  afterAll(() => fixture.close());

  const post = (message: object, headers: Record<string, string> = {}) =>
    exchange(fixture.url, {
      name: 'a test',
      verb: 'POST',
      headers: { ...JSON_HEADERS, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const modern = (method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    post(
      {
        id: 1,
        method,
        params: {
          ...params,
          _meta: { [`${PROTOCOL}/protocolVersion`]: '2026-07-28', [`${PROTOCOL}/clientCapabilities`]: {} },
        },
      },
      {
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...(typeof params['name'] === 'string' && { 'Mcp-Name': params['name'] }),
        ...headers,
      },
    );

  it('serves 2026 clients without a session', async () => {
    const { status, body } = await modern('tools/call', { name: 'test_simple_text' });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      result: { resultType: 'complete', content: [{ text: 'This is a simple text response for testing.' }] },
    });
  });

  it('checks the Mcp-Param-* headers of its tools', async () => {
    const params = { name: 'test_x_mcp_header', arguments: { region: 'eu' } };
    expect((await modern('tools/call', params, { 'Mcp-Param-Region': 'eu' })).status).toBe(200);
    const { status, body } = await modern('tools/call', params);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code: -32020 } });
  });

  it('really changes the list that it says has changed', async () => {
    const before = (await modern('tools/list')).body;
    await modern('tools/call', { name: 'test_trigger_tool_change' });
    expect((await modern('tools/list')).body).not.toBe(before);
  });

  it('gives 2025 clients a session, and forgets it when told', async () => {
    const begun = await post({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    const session = { 'Mcp-Session-Id': String(begun.headers['mcp-session-id']), 'MCP-Protocol-Version': '2025-11-25' };
    expect((await post({ method: 'notifications/initialized' }, session)).status).toBe(202);
    expect((await post({ id: 2, method: 'tools/list' }, session)).status).toBe(200);
    await exchange(fixture.url, { name: 'the end', verb: 'DELETE', headers: session });
    expect((await post({ id: 3, method: 'tools/list' }, session)).status).toBe(404);
  });
});
