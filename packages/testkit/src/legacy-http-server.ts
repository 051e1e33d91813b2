import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { FIXTURE_TOOLS } from './fixture-behaviour.js';
import type { FixtureTool } from './fixture-behaviour.js';
import { actOut, answerJson, openStream, startFixtureHttp, writeEvent } from './fixture-http.js';
import type { FixtureServer, JsonObject } from './fixture-http.js';

export interface LegacyHttpServer extends FixtureServer {
  tools: readonly FixtureTool[];
  readonly sessions: ReadonlySet<string>;
  /** Streams for unasked messages (GET) that are open now. */
  readonly streams: ReadonlySet<ServerResponse>;
  /** Forgets every session: the next request that names one is answered 404. */
  forgetSessions(): void;
  toolsChanged(): void;
}

export interface LegacyHttpScript {
  readonly tools?: readonly FixtureTool[];
  readonly capabilities?: JsonObject;
  /** `false`: GET is answered 405. */
  readonly stream?: boolean;
  /** `false`: no `Mcp-Session-Id`. */
  readonly sessions?: boolean;
  /** What an unknown method is answered with before `initialize`. Default: 400 with -32000, as the SDK's servers do. */
  readonly beforeInitialize?: { readonly status: number; readonly body?: unknown };
  readonly protocolVersion?: string;
  readonly port?: number;
}

/**
 * A double of a 2025 MCP server over bare HTTP, with sessions. Beyond the common tools: `ping-first` asks the client for a
 * `ping` before it answers, `resume` ends its stream after an event with an id and answers on the stream that resumes it.
 */
export async function startLegacyHttpServer(script: LegacyHttpScript = {}): Promise<LegacyHttpServer> {
  const sessions = new Set<string>();
  const streams = new Set<ServerResponse>();
  let unanswered: { id: unknown; response: ServerResponse } | undefined;
  const http = await startFixtureHttp((exchange) => {
    const { request, response } = exchange;
    const { id, method, params = {} } = request.message;
    const sessionId = request.headers['mcp-session-id'] as string | undefined;
    const give = (result: JsonObject, headers = {}) =>
      answerJson(response, 200, { jsonrpc: '2.0', id, result }, headers);
    const fail = (status: number, code: number, message: string) =>
      answerJson(response, status, { jsonrpc: '2.0', id: null, error: { code, message } });
    const answered = (done: { id: unknown }) => ({
      jsonrpc: '2.0',
      id: done.id,
      result: { content: [{ type: 'text', text: 'resumed' }] },
    });

    if (method === 'initialize') {
      const given = script.sessions === false ? {} : { 'mcp-session-id': randomUUID() };
      if (given['mcp-session-id'] !== undefined) sessions.add(given['mcp-session-id']);
      const capabilities = script.capabilities ?? { tools: { listChanged: true } };
      const protocolVersion = script.protocolVersion ?? '2025-11-25';
      return give({ protocolVersion, capabilities, serverInfo: { name: 'legacy-fixture', version: '1' } }, given);
    }
    if (script.sessions !== false) {
      if (sessionId === undefined) {
        const { status, body } = script.beforeInitialize ?? { status: 400 };
        if (body !== undefined) return answerJson(response, status, body);
        return fail(status, -32000, 'Bad Request: Server not initialized');
      }
      if (!sessions.has(sessionId)) return fail(404, -32001, 'Session not found');
    } else if (method === 'server/discover') return fail(200, -32601, 'Method not found');
    if (request.httpMethod === 'DELETE') {
      sessions.delete(sessionId ?? '');
      return void response.writeHead(200).end();
    }
    if (request.httpMethod === 'GET') {
      if (request.headers['last-event-id'] === 'held-1' && unanswered !== undefined) {
        openStream(response);
        writeEvent(response, answered(unanswered));
        return void response.end();
      }
      if (script.stream === false) return void response.writeHead(405, { allow: 'POST' }).end();
      openStream(response);
      streams.add(response);
      return void response.on('close', () => streams.delete(response));
    }
    if (id === undefined || method === undefined) {
      // What a client says that has no answer; a `pong` lets the call that waits for it go on.
      if (method === undefined && unanswered !== undefined) {
        writeEvent(unanswered.response, {
          jsonrpc: '2.0',
          id: unanswered.id,
          result: { content: [{ type: 'text', text: 'pong' }] },
        });
        unanswered.response.end();
      }
      return void response.writeHead(202).end();
    }
    switch (method) {
      case 'tools/list':
        return give({ tools: server.tools });
      case 'tools/call':
        if (params.name === 'ping-first') {
          openStream(response);
          unanswered = { id, response };
          return writeEvent(response, { jsonrpc: '2.0', id: 'from-server', method: 'ping' });
        }
        if (params.name === 'resume') {
          server.executions++;
          unanswered = { id, response };
          openStream(response);
          return void response.end(
            'id: held-1\nretry: 20\ndata: {"jsonrpc":"2.0","method":"notifications/nothing"}\n\n',
          );
        }
        return actOut(exchange, server, (result) => result);
      default:
        return answerJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    }
  }, script.port);
  const server: LegacyHttpServer = Object.assign(http, {
    tools: script.tools ?? FIXTURE_TOOLS,
    sessions,
    streams,
    forgetSessions: () => sessions.clear(),
    toolsChanged: () =>
      streams.forEach((stream) => writeEvent(stream, { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })),
  });
  return server;
}
