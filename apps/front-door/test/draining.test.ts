import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ServedSource, serveSource } from '@portico/domain-kit';
import { type OpenDoor, openDoor, requestOf } from './open-door.js';
import { plainSource } from './plain-source.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (condition: () => boolean): Promise<void> => {
  for (const end = Date.now() + 5_000; !condition();) {
    if (Date.now() > end) throw new Error('It did not happen.');
    await pause(5);
  }
};

let door: OpenDoor;
let port: number;
let source: ServedSource;
let agent: Agent;
let running: number;
let finish: () => void;
/** Closes the door, once. */
let close: () => Promise<void>;
beforeEach(async () => {
  running = 0;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  door = await openDoor();
  port = Number(new URL(door.url).port);
  const slow = plainSource('slow', ['wait'], {
    callTool: async () => {
      running += 1;
      await finished;
      return { content: [{ type: 'text', text: 'finished' }] };
    },
  });
  source = await serveSource(door.bus, slow, { instance: 's' });
  await door.rpc('tools/list');
  let closing: Promise<void> | undefined;
  close = () => (closing ??= door.close());
  agent = new Agent({ keepAlive: true });
});
afterEach(async () => {
  finish();
  agent.destroy();
  await source.close();
  await close();
});

/** A request as it is sent, on a connection that is to be kept. */
const headersOf = (method: string, params: Record<string, unknown>) => {
  const { body, headers } = requestOf(method, params);
  const text = JSON.stringify(body);
  return {
    text,
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'Content-Length': String(Buffer.byteLength(text)),
    },
  };
};
const post = (method: string, params: Record<string, unknown> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const { text, headers } = headersOf(method, params);
    const req = request(`${door.url}/mcp`, { method: 'POST', agent, headers });
    req.once('error', reject);
    req.once('response', (res) => {
      let answer = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
      res.once('end', () => resolve(answer));
    });
    req.end(text);
  });
const raw = (method: string, params: Record<string, unknown> = {}): string => {
  const { text, headers } = headersOf(method, params);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n${text}`;
};

describe('a front door that closes while calls run', () => {
  it('answers them, takes no new connection, and has closed soon after', async () => {
    const calls = [post('tools/call', { name: 'slow.wait' }), post('tools/call', { name: 'slow.wait' })];
    await until(() => running === 2);
    let closed = false;
    const closing = close().then(() => (closed = true));
    await pause(100);
    expect(closed).toBe(false);
    const late = connect(port, '127.0.0.1');
    const outcome = await new Promise((resolve) => {
      late.once('connect', () => resolve('connected'));
      late.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    late.destroy();
    expect(outcome).toBe('ECONNREFUSED');
    finish();
    for (const call of calls) expect(await call).toContain('finished');
    // Their connections would be kept for another minute, and are all there is to wait for.
    const answered = performance.now();
    await closing;
    expect(performance.now() - answered).toBeLessThan(3_000);
  });

  it('answers what still comes on an open connection, and says that it is the last time', async () => {
    let text = '';
    const client = connect(port, '127.0.0.1');
    client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const ended = new Promise((resolve) => client.once('close', resolve));
    client.write(raw('tools/call', { name: 'slow.wait' }));
    await until(() => running === 1);
    const closing = close();
    await pause(100);
    client.write(raw('tools/list'));
    await pause(100);
    finish();
    await ended;
    await closing;
    const [first, second, ...more] = text.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 200 [^]*finished/);
    expect(second).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*gateway\.describe/i);
    expect(more).toEqual([]);
  });

  it('[OP-8] answers on a connection that was idle when the stop began, for a moment, and says that it is the last time', async () => {
    let text = '';
    const client = connect(port, '127.0.0.1');
    client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const ended = new Promise((resolve) => client.once('close', resolve));
    client.write(raw('tools/list'));
    await until(() => text.includes('gateway.describe'));
    text = '';
    const closing = close();
    await pause(100);
    client.write(raw('tools/list'));
    await ended;
    await closing;
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*gateway\.describe/i);
  });

  it('ends idle connections soon', async () => {
    await post('tools/list');
    await until(() => Object.keys(agent.freeSockets).length === 1);
    const started = performance.now();
    await close();
    expect(performance.now() - started).toBeLessThan(5_000);
    await until(() => Object.keys(agent.freeSockets).length === 0);
  });
});
