import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { echoDomain } from './echo-domain.js';
import { type OpenDoor, openDoor, requestOf } from './open-door.js';

let door: OpenDoor;
const demo = echoDomain();
beforeAll(async () => {
  door = await openDoor();
  await door.serve(demo.domain);
  await door.rpc('tools/list');
});
afterAll(async () => {
  demo.release();
  await door.close();
});

describe('[FD-21] requests sent at once on one connection', () => {
  it('are handled one after the other, and each is answered, in order', async () => {
    const { port } = new URL(door.url);
    const raw = (id: number): string => {
      const { body, headers } = requestOf('tools/call', { name: 'demo.large', arguments: { size: 200_000 } }, { id });
      const text = JSON.stringify(body);
      const lines = Object.entries({
        Host: `127.0.0.1:${port}`,
        'Content-Type': 'application/json',
        'Content-Length': String(text.length),
        ...headers,
      });
      return `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
    };
    const before = demo.calls.length;
    const socket = connect(Number(port), '127.0.0.1');
    socket.pause().on('error', () => undefined);
    socket.write(Array.from({ length: 60 }, (_, id) => raw(id)).join(''));
    await new Promise((resolve) => setTimeout(resolve, 500));
    // What is not read is not worked for: the kernel's buffers hold a few answers of 200 kB, not sixty.
    expect(demo.calls.length - before).toBeLessThan(60);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString().replaceAll('x', ''))).resume();
    for (const end = Date.now() + 10_000; demo.calls.length - before < 60 || !text.includes('"id":59,');) {
      expect(Date.now()).toBeLessThan(end);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const ids = [...text.matchAll(/"id":(\d+),"result"/g)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 60 }, (_, id) => id));
    socket.destroy();
  });
});
