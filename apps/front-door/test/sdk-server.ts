import { type McpServerFactory, createMcpHandler } from '@modelcontextprotocol/server';

const CLIENT_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Reply {
  readonly status: number;
  readonly body: { result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown } };
}

/** The SDK's own server, asked without a network: what it answers is what ours is compared with. */
export const sdkServer = (factory: McpServerFactory) => {
  const handler = createMcpHandler(factory);
  const post = async (method: string, params: object, headers: Record<string, string>): Promise<Reply> => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const response = await handler.fetch(request);
    const text = await response.text();
    const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
    return { status: response.status, body: JSON.parse(json) as Reply['body'] };
  };
  return {
    modern: (method: string, params: Record<string, unknown>, headers: Record<string, string> = {}) =>
      post(
        method,
        { ...params, _meta: CLIENT_META },
        {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
          ...headers,
        },
      ),
    legacy: (method: string, params: Record<string, unknown>) =>
      post(method, params, { 'mcp-protocol-version': '2025-11-25' }),
  };
};
