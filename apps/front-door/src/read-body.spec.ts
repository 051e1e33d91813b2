import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { bodyRefusal } from './refusals.js';
import { BodyError, readJsonBody } from './read-body.js';

const LIMIT_BYTES = 65_536;
/** What node takes off a connection at once. */
const READ_AT_ONCE = 65_536;
const CHUNK = `4000\r\n${' '.repeat(0x4000)}\r\n`;

/** What a server that reads bodies by the limit makes of one that is sent in chunks, without a length, and never ends. */
async function flood(limitBytes: number): Promise<{ answer: string; readBytes: number; tookMs: number }> {
  let readBytes = 0;
  const server = createServer((req, res) => {
    req.socket.once('close', () => (readBytes = req.socket.bytesRead));
    readJsonBody(req, limitBytes).then(
      () => res.end('read'),
      (error: unknown) => bodyRefusal(res, error, limitBytes),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const started = performance.now();
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const send = (): void => {
      while (!client.destroyed && client.write(CHUNK));
    };
    client.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    client.on('drain', send);
    // A server that hangs up on who still writes may reset the connection.
    client.on('error', () => undefined);
    client.once('close', () => resolve(text));
    client.setTimeout(5_000, () => client.destroy());
    client.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    send();
  });
  const tookMs = performance.now() - started;
  await new Promise((resolve) => server.close(resolve));
  return { answer, readBytes, tookMs };
}

describe('a body that does not say how long it is', () => {
  it('is read up to the limit and no further, refused, and its connection closed', async () => {
    const { readBytes, tookMs } = await flood(LIMIT_BYTES);
    expect(readBytes).toBeGreaterThan(LIMIT_BYTES);
    expect(readBytes).toBeLessThan(LIMIT_BYTES + 4 * READ_AT_ONCE);
    expect(tookMs).toBeLessThan(2_000);
  });
});

describe('a body that says so', () => {
  it('is refused before any of it is read', async () => {
    const server = createServer((req, res) => {
      readJsonBody(req, 10).catch((error: unknown) => {
        expect(error).toBeInstanceOf(BodyError);
        bodyRefusal(res, error, 10);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n');
    const text = await new Promise<string>((resolve) => {
      let all = '';
      client.setEncoding('latin1').on('data', (chunk: string) => (all += chunk));
      client.once('close', () => resolve(all));
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    await new Promise((resolve) => server.close(resolve));
  });
});
