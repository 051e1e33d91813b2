import { type Socket, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenDoor, openDoor } from './open-door.js';

let door: OpenDoor;
beforeAll(async () => {
  door = await openDoor({ TOTAL_CONCURRENCY_LIMIT: '3' });
});
afterAll(() => door.close());

/** Sends `begin`, then a character each second, for as long as it may; how long that was, and what it was answered. */
const trickle = (begin: string): Promise<{ ms: number; answer: string }> =>
  new Promise((resolve) => {
    const began = performance.now();
    let answer = '';
    const client: Socket = connect(Number(new URL(door.url).port), '127.0.0.1');
    client.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
    client.on('error', () => undefined);
    client.write(begin);
    const dropping = setInterval(() => client.write('x'), 1_000);
    client.once('close', () => {
      clearInterval(dropping);
      resolve({ ms: performance.now() - began, answer });
    });
  });
const ping = async (): Promise<number> => (await door.rpc('ping', {}, { revision: '2025-11-25' })).status;

describe('[FD-5] a client that is slow', () => {
  it('has 10 s for its headers and 30 s for all of its request, costs nobody else anything, and keeps no place', async () => {
    const head = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n';
    const headers = Array.from({ length: 4 }, () => trickle(`${head}X-Slow: `));
    const bodies = Array.from({ length: 2 }, () =>
      trickle(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`),
    );
    for (let n = 0; n < 5; n += 1) {
      await delay(100);
      expect(await ping()).toBe(200);
    }
    for (const { ms, answer } of await Promise.all(headers)) {
      expect(ms).toBeGreaterThan(9_000);
      expect(ms).toBeLessThan(25_000);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    }
    for (const { ms, answer } of await Promise.all(bodies)) {
      expect(ms).toBeGreaterThan(29_000);
      expect(ms).toBeLessThan(60_000);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    }
    expect(await Promise.all([ping(), ping(), ping()])).toEqual([200, 200, 200]);
  }, 90_000);
});
