import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HeldSession } from '@portico/mcp-session';
import { json, scriptedServer } from './scripted-server.js';
import type { Answer, Message } from './scripted-server.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A session to a server that answers as told. */
async function sessionTo(answer: Answer): Promise<HeldSession> {
  const server = await scriptedServer(answer);
  const session = new HeldSession({ transport: 'http', url: server.url, headers: {} }, { name: 'scripted' });
  closers.push(async () => {
    await session.close();
    await server.close();
  });
  return session;
}

const signal = () => AbortSignal.timeout(10_000);

describe('a server whose words take some understanding', () => {
  it('is resumed after a stream that held nothing but an id to resume from', async () => {
    let calls: Message['id'];
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
        calls = id;
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
      methods.push(method ?? 'none');
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

describe('what a server publishes', () => {
  /** A legacy server without sessions and unasked messages, which answers `tools/list` as told. */
  const publishing = (list: (id: Message['id'], response: ServerResponse, time: number) => void) => {
    let time = 0;
    return sessionTo((message, _, response) => {
      const { id, method } = message ?? { id: 0, method: 'GET' };
      if (method === 'GET') response.writeHead(405).end();
      else if (method === 'initialize') {
        json(response, 200, {
          jsonrpc: '2.0',
          id,
          result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } },
        });
      } else if (id === undefined) response.writeHead(202).end();
      else if (method === 'tools/list') list(id, response, ++time);
      else json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    });
  };
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
  const named = async (session: HeldSession) =>
    (await session.catalogue({ signal: signal() })).tools.map(({ name }) => name);

  it('is not remembered when it changed while it was read', async () => {
    const session = await publishing((id, response, time) => {
      const result = { tools: [tool(`t${time}`)] };
      if (time > 1) return json(response, 200, { jsonrpc: '2.0', id, result });
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const message of [{ method: 'notifications/tools/list_changed' }, { id, result }]) {
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      }
      response.end();
    });
    expect(await named(session)).toEqual(['t1']);
    expect(session.known).toBeUndefined();
    expect(await named(session)).toEqual(['t2']);
    expect(await named(session)).toEqual(['t2']);
  });

  it('is asked for once more when the connection was lost, and no more', async () => {
    let lost = 1;
    const session = await publishing((id, response, time) => {
      if (time <= lost) response.destroy();
      else json(response, 200, { jsonrpc: '2.0', id, result: { tools: [tool(`t${time}`)] } });
    });
    expect(await named(session)).toEqual(['t2']);
    lost = 9;
    const refused = session.catalogue({ refresh: true, signal: signal() });
    await expect(refused).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    lost = 4;
    expect(await session.catalogue({ refresh: true, signal: signal() })).toMatchObject({ tools: [{ name: 't5' }] });
  });

  it('is told to be changed to everyone who listens, also when one of them fails', async () => {
    const session = await publishing((id, response) =>
      json(response, 200, { jsonrpc: '2.0', id, result: { tools: [] } }),
    );
    session.onChanged(() => {
      throw new Error('of a listener');
    });
    const heard = new Promise<void>((resolve) => session.onChanged(resolve));
    await named(session);
    await session.reconnect({ signal: signal() });
    await heard;
  });
});

describe('a call that was refused for its headers', () => {
  it('was not executed, also when the headers that the server wants can not be looked up', async () => {
    const session = await sessionTo((message, _, response) => {
      const { id, method } = message ?? { id: 0, method: 'none' };
      if (method === 'server/discover') {
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
        json(response, 200, { jsonrpc: '2.0', id, result });
      } else if (method === 'tools/call') {
        json(response, 400, { jsonrpc: '2.0', id, error: { code: -32020, message: 'HeaderMismatch' } });
      } else response.destroy();
    });
    await expect(session.callTool({ tool: 'x', arguments: {} }, { signal: signal() })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
  });
});
