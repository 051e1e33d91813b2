import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HeldSession } from '@portico/mcp-session';

type Answer = (
  message: { id?: number; method: string } | undefined,
  request: IncomingMessage,
  response: ServerResponse,
) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that answers as told; a GET comes without a message. */
async function sessionTo(answer: Answer): Promise<HeldSession> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      answer(text === '' ? undefined : (JSON.parse(text) as { id?: number; method: string }), request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const session = new HeldSession({ transport: 'http', url, headers: {} }, { name: 'scripted' });
  closers.push(async () => {
    await session.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return session;
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};
const signal = () => AbortSignal.timeout(10_000);

describe('a server whose words take some understanding', () => {
  it('is resumed after a stream that held nothing but an id to resume from', async () => {
    let calls = 0;
    let resumedFrom: string | string[] | undefined;
    const result = { content: [{ type: 'text', text: 'late' }] };
    const session = await sessionTo((message, request, response) => {
      const id = message?.id;
      if (request.method === 'GET') {
        resumedFrom = request.headers['last-event-id'];
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.end(`id: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: calls, result })}\n\n`);
      } else if (message?.method === 'initialize') {
        json(response, 200, {
          jsonrpc: '2.0',
          id,
          result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } },
        });
      } else if (message?.method === 'tools/call') {
        calls = id ?? 0;
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.end('id: 1\nretry: 100\ndata: \n\n');
      } else if (id === undefined) response.writeHead(202).end();
      else json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    });
    await expect(session.callTool({ tool: 'x', arguments: {} }, { signal: signal() })).resolves.toMatchObject(result);
    expect(resumedFrom).toBe('1');
  });

  it('is asked once more when it refuses our revision and names it as its own', async () => {
    const methods: string[] = [];
    const session = await sessionTo((message, _, response) => {
      const { id, method } = message ?? { id: 0, method: 'none' };
      methods.push(method);
      if (methods.length === 1) {
        const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
        json(response, 400, { jsonrpc: '2.0', id, error: { code: -32022, message: 'Unsupported', data } });
      } else if (method === 'server/discover') {
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} };
        json(response, 200, { jsonrpc: '2.0', id, result });
      } else json(response, 200, { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } });
    });
    await session.callTool({ tool: 'x', arguments: {} }, { signal: signal() });
    expect(methods.slice(0, 2)).toEqual(['server/discover', 'server/discover']);
    expect(methods).not.toContain('initialize');
  });
});
