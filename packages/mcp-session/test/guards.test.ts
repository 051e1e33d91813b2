import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { json, legacyServer, scriptedServer } from './scripted-server.js';
import type { Answer, Message } from './scripted-server.js';
import { call, closeSessions, faultOf, hold, overHttp, soon, until } from './sessions.js';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await closeSessions();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
const serve = async (answer: Answer) => {
  const server = await scriptedServer(answer);
  servers.push(server);
  return server;
};

const done = (response: ServerResponse, { id }: Message) =>
  json(response, 200, { jsonrpc: '2.0', id, result: { content: [] } });
const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const pinned = { protocol: '2026-07-28' } as const;

describe('[UP-11][FD-24] a redirect at the same place', () => {
  it('is not followed to a name and a password', async () => {
    const paths: (string | undefined)[] = [];
    const server = await serve((_, request, response) => {
      paths.push(request.url);
      response.writeHead(308, { location: `http://user:pass@${request.headers.host}/other` }).end();
    });
    const fault = await faultOf(hold(overHttp(server.url, pinned)).callTool(call('x'), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'no' });
    expect(paths).toEqual(['/mcp']);
  });

  it.each([301, 302, 303])('by %i is not followed: it may have acted already', async (status) => {
    const paths: (string | undefined)[] = [];
    const server = await serve((_, request, response) => {
      paths.push(request.url);
      response.writeHead(status, { location: '/other' }).end();
    });
    const fault = await faultOf(hold(overHttp(server.url, pinned)).callTool(call('x'), { signal: soon() }));
    expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
    expect(paths).toEqual(['/mcp']);
  });
});

describe('[UP-10] credentials that are refused', () => {
  it('are not sent again when there are no newer ones', async () => {
    const sent: unknown[] = [];
    const server = await serve((_, request, response) => {
      sent.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const authorization = {
      current: () => Promise.resolve('Bearer a'),
      renewed: (refused: string) => Promise.resolve(refused),
    };
    const session = hold(overHttp(server.url, { ...pinned, authorization }));
    expect(await faultOf(session.callTool(call('x'), { signal: soon() }))).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(sent).toEqual(['Bearer a']);
  });

  it('end a session of 2025: the next use makes another, with what is good by then', async () => {
    let initialised = 0;
    let good = false;
    const server = await serve((message, request, response) => {
      if (message?.method === 'initialize') initialised++;
      legacyServer((asked, _, answer) => {
        if (asked === undefined) answer.writeHead(405).end();
        else if (good) done(answer, asked);
        else answer.writeHead(401).end();
      })(message, request, response);
    });
    const session = hold(overHttp(server.url));
    expect(await faultOf(session.callTool(call('x'), { signal: soon() }))).toMatchObject({ code: 'UNAUTHENTICATED' });
    good = true;
    await session.callTool(call('x'), { signal: soon() });
    expect(initialised).toBe(2);
  });
});

describe('[UP-9] what stays open at a server', () => {
  it('is nothing when it could not be connected to', async () => {
    const server = await serve((_, __, response) => void response.writeHead(401).end());
    await faultOf(hold(overHttp(server.url)).callTool(call('x'), { signal: soon() }));
    await until(() => server.connections() === 0);
  });

  it('is no stream that has given its answer', async () => {
    let closed = false;
    const server = await serve((message, _, response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(event({ id: message!.id, result: { resultType: 'complete', content: [] } }));
    });
    await hold(overHttp(server.url, pinned)).callTool(call('x'), { signal: soon() });
    expect(closed).toBe(false);
    await until(() => closed);
  });
});

describe('[UP-6] a session of 2025', () => {
  it('whose stream for unasked messages finds it unknown is made anew by the next use', async () => {
    let initialised = 0;
    let looked = 0;
    const server = await serve((message, request, response) => {
      if (message?.method === 'initialize') initialised++;
      legacyServer(
        (asked, _, answer) => {
          if (asked !== undefined) return done(answer, asked);
          looked++;
          // The first session is gone as soon as it is listened to.
          if (looked === 1) answer.writeHead(404).end();
          else answer.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
        },
        { 'mcp-session-id': `s${initialised}` },
      )(message, request, response);
    });
    const session = hold(overHttp(server.url));
    await session.reconnect({ signal: soon() });
    await until(() => session.state === 'idle');
    await session.callTool(call('x'), { signal: soon() });
    expect(initialised).toBe(2);
  });

  it('[UP-3] that asks in floods is answered 16 at a time', async () => {
    const waiting: ServerResponse[] = [];
    const server = await serve(
      legacyServer((message, _, response) => {
        if (message === undefined) return void response.writeHead(405).end();
        if (message.method !== 'tools/call') return void waiting.push(response);
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        for (let n = 0; n < 100; n++) response.write(event({ id: `ping-${n}`, method: 'ping' }));
        response.end(event({ id: message.id, result: { content: [] } }));
      }),
    );
    await hold(overHttp(server.url)).callTool(call('x'), { signal: soon() });
    await until(() => waiting.length === 16);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(waiting).toHaveLength(16);
  });
});

describe('[UP-3] a list', () => {
  it('of more than 20,000 items is not followed', async () => {
    let pages = 0;
    const server = await serve((message, _, response) => {
      const { id, method } = message!;
      if (method !== 'tools/list')
        return json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: '' } });
      const tools = Array.from({ length: 10_001 }, (_item, n) => ({ name: `t${pages}-${n}`, inputSchema: {} }));
      pages++;
      json(response, 200, { jsonrpc: '2.0', id, result: { resultType: 'complete', tools, nextCursor: `c${pages}` } });
    });
    const fault = await faultOf(hold(overHttp(server.url, pinned)).catalogue({ signal: soon() }));
    expect(fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(pages).toBe(2);
  });
});
