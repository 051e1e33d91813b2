import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { guardedRequest } from './guarded-request.js';
import { findTokenEndpoint } from './token-endpoint.js';

let server: Server;
let port: number;
const requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === '/moved') response.writeHead(307, { location: '/secret' }).end();
    else response.end('{}');
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

describe('[UP-11] a request to an authorization server', () => {
  // The name of this host is no literal and no localhost: only the address it leads to shows where it is.
  it.each([
    'http://127.0.0.1',
    'https://127.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://localhost',
    `http://${hostname()}`,
  ])('to %s is not made: the address is private', async (origin) => {
    const before = requests.length;
    const url = `${origin}:${port}/token`;
    const signal = AbortSignal.timeout(10_000);
    await expect(guardedRequest({ url, allowPrivate: false, signal })).rejects.toThrow(/private|ENOTFOUND|EAI_AGAIN/);
    expect(requests).toHaveLength(before);
  });

  it('is made where the entry allows it; a redirect is not followed', async () => {
    const url = `http://127.0.0.1:${port}/moved`;
    const answer = await guardedRequest({ url, allowPrivate: true, signal: AbortSignal.timeout(10_000) });
    expect(answer.status).toBe(307);
    expect(requests.at(-1)).toBe('GET /moved');
  });

  it('for the metadata of a private server is not made either', async () => {
    const before = requests.length;
    const reach = { allowPrivate: false, signal: AbortSignal.timeout(10_000) };
    await expect(findTokenEndpoint(`http://127.0.0.1:${port}/mcp`, reach)).rejects.toThrow('private');
    expect(requests).toHaveLength(before);
  });
});
