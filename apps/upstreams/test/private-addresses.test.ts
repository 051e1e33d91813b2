import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { opened } from './opened.js';
import { runUpstreams } from './running.js';

const { keep } = opened();

/** A name that is not `localhost`, but leads to this host; and an address of a private range that it leads to. */
async function ownName(): Promise<{ name: string; address: string } | undefined> {
  for (const name of [hostname(), 'ip6-localhost', 'ip6-loopback']) {
    const found = await lookup(name).catch(() => undefined);
    if (found !== undefined) return { name, address: found.address };
  }
  return undefined;
}

describe('[UP-11] a name that leads to a private address', () => {
  it('is not connected to, as server or as token endpoint, unless the entry says allowPrivate', async () => {
    const own = await ownName();
    // A host without any name of its own proves nothing here; CI has one.
    if (own === undefined) return expect(process.env['CI']).toBeUndefined();
    let connections = 0;
    const http = createServer((request, response) => {
      request.resume();
      response.writeHead(418).end();
    });
    http.on('connection', () => connections++);
    await new Promise<void>((resolve) => http.listen(0, own.address, resolve));
    keep({ close: () => new Promise((resolve) => (http.close(resolve), http.closeAllConnections())) });
    const url = `http://${own.name}:${(http.address() as AddressInfo).port}/mcp`;
    const running = keep(
      await runUpstreams({
        guarded: { url },
        token: { url: 'https://a.example/mcp', oauth: { clientId: 'a', clientSecret: 'b', tokenUrl: url } },
        open: { url, allowPrivate: true },
      }),
    );
    for (const name of ['guarded', 'token'] as const) {
      const error: unknown = await running.call(`upstream.${name}`, 'echo').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ executed: 'no' });
      expect(connections).toBe(0);
    }
    await running.call('upstream.open', 'echo').catch(() => undefined);
    expect(connections).toBeGreaterThan(0);
  });
});
