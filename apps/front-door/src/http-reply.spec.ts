import { type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpReply } from './http-reply.js';

const LIMIT_BYTES = 1_048_576;
const NOTICE = { method: 'notifications/progress', params: { progressToken: 1, message: 'x'.repeat(1_000) } } as const;

let server: Server | undefined;
let client: Socket | undefined;
afterEach(async () => {
  client?.destroy();
  await new Promise((resolve) => server?.close(resolve));
});

/** A response on a real connection, whose client reads nothing until it is resumed. */
async function unreadResponse(): Promise<{ res: ServerResponse; client: Socket }> {
  const response = new Promise<ServerResponse>((resolve) => {
    server = createServer((_req, res) => resolve(res));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  client = connect((server?.address() as AddressInfo).port, '127.0.0.1');
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return { res: await response, client };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an event stream whose client does not read', () => {
  it('holds a bounded backlog, however much there is to tell, and still gives the answer', async () => {
    const { res, client: slow } = await unreadResponse();
    const reply = new HttpReply(res, 7);
    let most = 0;
    // 50 MB: more than the operating system holds for us.
    for (let sent = 0; sent < 50_000; sent += 1) {
      reply.notice(NOTICE);
      if (sent % 100 === 0) await turn();
      most = Math.max(most, res.writableLength);
    }
    reply.keepAlive();
    expect(most).toBeGreaterThan(LIMIT_BYTES / 2);
    expect(most).toBeLessThan(LIMIT_BYTES + 10_000);

    reply.answer({ kind: 'result', json: '{"done":true}' });
    let text = '';
    slow.setEncoding('latin1').on('data', (chunk: string) => (text = (text + chunk).slice(-200)));
    slow.resume();
    await new Promise<void>((resolve) => res.once('finish', resolve));
    for (const end = Date.now() + 5_000; !text.endsWith('0\r\n\r\n') && Date.now() < end;) await turn();
    expect(text).toContain('data: {"jsonrpc":"2.0","id":7,"result":{"done":true}}\n\n');
  });

  it('says nothing more to a client that has gone', async () => {
    const { res, client: gone } = await unreadResponse();
    const reply = new HttpReply(res, 7);
    reply.notice(NOTICE);
    const closed = new Promise((resolve) => res.once('close', resolve));
    gone.destroy();
    await closed;
    reply.notice(NOTICE);
    reply.keepAlive();
    reply.answer({ kind: 'result', json: '{}' });
    expect(res.writableEnded).toBe(false);
  });
});
