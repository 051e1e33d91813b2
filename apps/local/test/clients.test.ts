import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Running, build, start } from './running.js';

let portico: Running;
beforeAll(async () => {
  build();
  portico = await start();
  // A list never waits past 1.2 s from the start; on a machine that is busy elsewhere a server may take longer.
  for (const source of [/files +14 tools/, /memory +9 tools/]) await portico.until(source, 60_000);
}, 180_000);
afterAll(() => portico.stop());

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const endpoint = () => new URL(`${portico.url}/mcp`);
const v2 = async (mode: 'auto' | 'legacy'): Promise<AnyClient> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(endpoint()));
  expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
  return client as unknown as AnyClient;
};
const v1 = async (): Promise<AnyClient> => {
  const client = new ClientV1({ name: 'test', version: '1' });
  await client.connect(new TransportV1(endpoint()) as never);
  return client as unknown as AnyClient;
};

describe.each([
  ['the SDK v2 client that negotiates', () => v2('auto')],
  ['the SDK v2 client that does not', () => v2('legacy')],
  ['the SDK v1 client', v1],
])('[FD-2] %s', (_name, connect) => {
  it('lists and calls real tools of real servers', async () => {
    const client = await connect();
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['files.write_file', 'memory.create_entities', 'gateway.health']));
    const path = `note-${Math.random()}.txt`;
    const written = await client.callTool({ name: 'files.write_file', arguments: { path, content: 'hello' } });
    expect(written['isError']).toBeFalsy();
    const read = await client.callTool({ name: 'files.read_text_file', arguments: { path } });
    expect(read['structuredContent']).toEqual({ content: 'hello' });
    const graph = await client.callTool({ name: 'memory.read_graph', arguments: {} });
    expect(graph['structuredContent']).toMatchObject({ entities: [], relations: [] });
    const health = await client.callTool({ name: 'gateway.health', arguments: {} });
    expect(
      JSON.parse((health['content'] as { text: string }[])[0]?.text as string).domains.map(
        (domain: { name: string }) => domain.name,
      ),
    ).toEqual(expect.arrayContaining(['files', 'memory']));
    const wrong = await client.callTool({ name: 'files.read_text_file', arguments: { path: '../../etc/passwd' } });
    expect(wrong['isError']).toBe(true);
    await client.close();
  });
});

describe('[FD-12] raw HTTP', () => {
  it('with nothing but a body, and a name as agents fold it', async () => {
    const response = await fetch(endpoint(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files_list_allowed_directories"}}',
    });
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    expect(result.content[0]?.text).toContain('workspace');
  });
});
