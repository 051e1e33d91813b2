import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { UnreadAnswers } from './unread-answers.js';

/** Far more than the kernel takes from a sender whose receiver does not read. */
const BODY = Buffer.alloc(16_000_000, 'x');

describe('answers that nobody reads', () => {
  let server: Server;
  let answers: ServerResponse[];
  let sockets: Socket[];
  let unread: UnreadAnswers;

  const listen = async (): Promise<void> => {
    server = createServer((_req, res) => {
      answers.push(res);
      res.end(BODY);
      unread.written(res);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  };
  const ask = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.pause().on('error', () => undefined);
    sockets.push(socket);
    const before = answers.length;
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (answers.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    return socket;
  };
  beforeEach(() => {
    [answers, sockets] = [[], []];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const until = async (condition: () => boolean): Promise<void> => {
    for (const end = Date.now() + 5_000; !condition();) {
      if (Date.now() > end) throw new Error('It did not happen.');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it('are given up after a while', async () => {
    unread = new UnreadAnswers(100);
    await listen();
    await ask();
    await until(() => answers[0]?.destroyed === true);
  });

  it('are together bounded in bytes: the longest unread goes first', async () => {
    unread = new UnreadAnswers(60_000, 40_000_000);
    await listen();
    for (let turn = 0; turn < 4; turn += 1) await ask();
    await until(() => answers[0]?.destroyed === true);
    expect(answers[3]?.destroyed).toBe(false);
  });

  it('are left alone when they are read', async () => {
    unread = new UnreadAnswers(1_500);
    await listen();
    const socket = await ask();
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await until(() => bytes > BODY.length);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(socket.destroyed).toBe(false);
  });
});
