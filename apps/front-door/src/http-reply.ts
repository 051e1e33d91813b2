import type { ServerResponse } from 'node:http';
import type { Notice } from '@portico/contracts';
import type { Answer } from './mcp-request.js';
import { UnreadAnswers } from './unread-answers.js';

const unreadAnswers = new UnreadAnswers();

export const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
/** Unread bytes beyond which a caller that does not read loses notices, not we our memory. */
const BACKLOG_LIMIT_BYTES = 1_048_576;

/** The one answer to one request: JSON, or an event stream as soon as there is something to say before the result. */
export class HttpReply {
  private streaming = false;

  constructor(
    private readonly res: ServerResponse,
    private readonly id: string | number,
  ) {}

  /** Sends a notice, turning the answer into an event stream; dropped when the caller has gone or does not read. */
  notice({ method, params }: Notice): void {
    if (!this.open()) return;
    this.event(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** A comment that keeps intermediaries from closing a connection on which nothing has been said for long. */
  keepAlive(): void {
    if (this.open()) this.res.write(': keep-alive\n\n');
  }

  answer(answer: Answer): void {
    if (this.res.writableEnded || this.res.destroyed) return;
    const json =
      answer.kind === 'result'
        ? `{"jsonrpc":"2.0","id":${JSON.stringify(this.id)},"result":${answer.json}}`
        : errorJson(this.id, answer.code, answer.message, answer.data);
    if (this.streaming) {
      this.event(json);
      this.res.end();
      unreadAnswers.written(this.res);
      return;
    }
    sendJson(this.res, answer.kind === 'result' ? 200 : answer.status, json);
  }

  private open(): boolean {
    if (this.res.writableEnded || this.res.destroyed || this.res.writableLength > BACKLOG_LIMIT_BYTES) return false;
    if (!this.streaming) {
      this.streaming = true;
      this.res.writeHead(200, EVENT_STREAM);
    }
    return true;
  }

  private event(json: string): void {
    this.res.write(`event: message\ndata: ${json}\n\n`);
  }
}

export function sendJson(res: ServerResponse, status: number, json: string, headers?: Record<string, string>): void {
  // Text, not bytes: node then writes headers and body at once.
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json), ...headers });
  res.end(json);
  unreadAnswers.written(res);
}

export const errorJson = (id: string | number | null, code: number, message: string, data?: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
