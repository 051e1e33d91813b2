import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpReply } from './http-reply.js';
import { KeepAlive } from './keep-alive.js';

const INTERVAL_MS = 60;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server whose every answer takes so long, kept alive as the front door's are. */
async function slowServer(answerAfterMs: number): Promise<string> {
  const keepAlive = new KeepAlive(INTERVAL_MS);
  const server = createServer((_req, res) => {
    const reply = new HttpReply(res, 1);
    const stop = keepAlive.start(reply);
    setTimeout(() => {
      stop();
      reply.answer({ kind: 'result', json: '{}' });
    }, answerAfterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () => keepAlive.onApplicationShutdown(),
    () => new Promise((resolve) => server.close(resolve)),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('keeping a long answer alive', () => {
  it('says so once an interval, and the answer comes as the last event', async () => {
    const response = await fetch(await slowServer(INTERVAL_MS * 6));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const text = await response.text();
    const comments = text.split('\n\n').filter((event) => event === ': keep-alive').length;
    expect(comments).toBeGreaterThanOrEqual(2);
    expect(comments).toBeLessThanOrEqual(7);
    expect(text.endsWith('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')).toBe(true);
  });

  it('leaves an answer that comes within the interval alone, whenever in it the call began', async () => {
    const url = await slowServer(0);
    for (let call = 0; call < 10; call += 1) {
      const response = await fetch(url);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.text()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
      await pause(INTERVAL_MS / 5);
    }
  });

  it('forgets what has been answered, and says nothing once it is closed', async () => {
    const keepAlive = new KeepAlive(20);
    let said = 0;
    const reply = { keepAlive: () => (said += 1) } as unknown as HttpReply;
    const stop = keepAlive.start(reply);
    for (const end = Date.now() + 2_000; said === 0 && Date.now() < end;) await pause(5);
    expect(said).toBeGreaterThan(0);
    stop();
    const before = said;
    await pause(100);
    expect(said).toBe(before);
    keepAlive.start(reply);
    keepAlive.onApplicationShutdown();
    await pause(100);
    expect(said).toBe(before);
  });
});
