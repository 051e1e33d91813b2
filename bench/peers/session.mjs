import { Pool } from 'undici';
import { REVISION, callBody, callHeaders, echoText, looksRight } from '../message.mjs';

/** A client of the 2025 revisions, of which each caller has a session of its own; answers may be JSON or a stream. */

const LEGACY = '2025-11-25';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
let nextId = 1;

/** The message in an answer, be it the body or an event of it. @param {string} text */
const messageIn = (text) => {
  if (text.startsWith('{')) return JSON.parse(text);
  const answers = text.split('\n').filter((line) => line.startsWith('data:') && line.includes('"result"'));
  return answers.length === 0 ? {} : JSON.parse(answers[0].slice(5));
};

export class Session {
  /** @param {string} url @param {Pool} pool @param {boolean} modern no session: the 2026-07-28 revision */
  constructor(url, pool, modern) {
    this.pool = pool;
    this.path = new URL(url).pathname;
    this.modern = modern;
    this.url = url;
    this.headers = /** @type {Record<string, string>} */ (HEADERS);
    this.tool = '';
  }

  /** @param {object | string} body @param {number} timeoutMs @param {Record<string, string>} [headers] */
  async post(body, timeoutMs, headers = this.headers) {
    const answer = await this.pool.request({
      path: this.path,
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  /** @param {number} timeoutMs */
  async open(timeoutMs) {
    if (!this.modern) {
      const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'peers', version: '1' } };
      const { headers } = await this.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, timeoutMs);
      const id = headers['mcp-session-id'];
      this.headers = {
        ...HEADERS,
        'mcp-protocol-version': LEGACY,
        ...(typeof id === 'string' && { 'mcp-session-id': id }),
      };
      await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, timeoutMs);
    }
    const tools = await this.list(timeoutMs);
    this.tool = tools.find(({ name }) => /(^|[^a-z])echo$/.test(name))?.name ?? '';
    if (this.tool === '') throw new Error('the echo tool is not listed');
    if (this.modern) this.headers = callHeaders(this.tool, this.url);
    return tools.length;
  }

  /** All pages. @param {number} timeoutMs @returns {Promise<{ name: string }[]>} */
  async list(timeoutMs) {
    const tools = [];
    for (let cursor; ;) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': REVISION,
        'io.modelcontextprotocol/clientInfo': { name: 'peers', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const params = { ...(cursor !== undefined && { cursor }), ...(this.modern && { _meta }) };
      const headers = this.modern
        ? { ...HEADERS, 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/list' }
        : this.headers;
      const { text } = await this.post(
        { jsonrpc: '2.0', id: nextId++, method: 'tools/list', params },
        timeoutMs,
        headers,
      );
      const { result } = messageIn(text);
      if (result === undefined) throw new Error(`tools/list: ${text.slice(0, 200)}`);
      tools.push(...result.tools);
      cursor = result.nextCursor;
      if (cursor === undefined) return tools;
    }
  }

  /** Whether a call was answered as it must be. @param {number} timeoutMs */
  async call(timeoutMs) {
    const id = nextId++;
    // A gateway of both eras tells them apart by what is in the body.
    const params = `{"name":"${this.tool}","arguments":{"text":"${echoText(id)}"}}`;
    const legacy = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
    const { status, text } = await this.post(this.modern ? callBody(this.tool, id) : legacy, timeoutMs);
    return status === 200 && looksRight(text, id) && !text.includes('"isError":true');
  }

  async close() {
    if (this.modern || !('mcp-session-id' in this.headers)) return;
    const { path, headers } = this;
    const { body } = await this.pool.request({ path, method: 'DELETE', headers, signal: AbortSignal.timeout(2_000) });
    await body.dump();
  }
}

/**
 * As many sessions as connections, opened one after the other; `close` deletes them.
 * @param {string} url @param {number} connections @param {boolean} modern
 */
export const openSessions = async (url, connections, modern) => {
  const pool = new Pool(new URL(url).origin, { connections, pipelining: 1 });
  const sessions = Array.from({ length: connections }, () => new Session(url, pool, modern));
  const close = async () => {
    for (const session of sessions) await session.close().catch(() => undefined);
    await pool.destroy();
  };
  try {
    for (const session of sessions) await session.open(20_000);
    return { sessions, close };
  } catch (error) {
    await close();
    throw error;
  }
};
