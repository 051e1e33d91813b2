import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenDoor, openDoor } from './open-door.js';

const LIMIT_BYTES = 65_536;
const HEAD =
  'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

let door: OpenDoor;
beforeAll(async () => {
  door = await openDoor({ BODY_LIMIT_BYTES: String(LIMIT_BYTES) });
});
afterAll(() => door.close());

/** Sends it all, and tells what was answered when the other side has closed; `undefined` when it does not within 5 s. */
const sent = (...parts: string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    let text = '';
    const client: Socket = connect(Number(new URL(door.url).port), '127.0.0.1');
    client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    client.setTimeout(5_000, () => {
      resolve(undefined);
      client.destroy();
    });
    client.once('error', () => undefined);
    client.once('close', () => resolve(text));
    for (const part of parts) client.write(part);
  });

describe('[FD-5] a body in chunks, of no announced length, beyond BODY_LIMIT_BYTES', () => {
  it('is 413 with our code while it still comes, and the connection is closed', async () => {
    const started = performance.now();
    // One byte too many, and the body has not ended: nothing more is waited for.
    const answer = await sent(HEAD, chunkOf(`{"pad":"${'x'.repeat(LIMIT_BYTES - 8)}"`));
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer?.toLowerCase()).toContain('connection: close');
    const { error } = JSON.parse(answer?.split('\r\n\r\n')[1] ?? '');
    expect(error).toMatchObject({ code: -32000, data: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(error.message).toContain(String(LIMIT_BYTES));
  });

  it('one of exactly the limit is read', async () => {
    const empty = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":""}}';
    const body = empty.replace('""', `"${'x'.repeat(LIMIT_BYTES - empty.length)}"`);
    expect(Buffer.byteLength(body)).toBe(LIMIT_BYTES);
    const close = HEAD.replace(
      '\r\n\r\n',
      '\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n\r\n',
    );
    const answer = await sent(close, chunkOf(body), '0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('costs no other caller anything', async () => {
    const floods = Array.from({ length: 8 }, () =>
      sent(HEAD, ...Array.from({ length: 16 }, () => chunkOf('x'.repeat(16_384)))),
    );
    expect((await door.rpc('tools/list')).status).toBe(200);
    // Who still writes may find the connection reset before the answer; what counts is that it is over.
    for (const answer of await Promise.all(floods)) expect(answer).toBeDefined();
    expect((await door.rpc('tools/list')).status).toBe(200);
  });
});
