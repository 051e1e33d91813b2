import { type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { SERVER_INFO, capabilitiesFor } from '../server-info.js';
import { LOCAL_PRINCIPAL } from '../principal.js';
import { honouredFilter } from './listen-filter.js';
import { Subscription } from './subscription.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A client that has sent a request, and the response that it waits for. */
async function exchange(): Promise<{ client: Socket; res: ServerResponse }> {
  let arrived = (_res: ServerResponse): void => undefined;
  const response = new Promise<ServerResponse>((resolve) => (arrived = resolve));
  const server = createServer((_req, res) => arrived(res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  closers.push(() => {
    client.destroy();
    server.close();
  });
  return { client, res: await response };
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const filter = (notifications: unknown) => honouredFilter({ notifications });

describe('[SS-5] a subscriber that does not read', () => {
  it('loses notifications: what waits for it here is bounded, and told again when it reads again', async () => {
    const { client, res } = await exchange();
    client.pause();
    const subscription = new Subscription(res, 1, LOCAL_PRINCIPAL, { toolsListChanged: true });
    // 60 MB, were they kept; a turn now and then lets the kernel take what it takes.
    for (let n = 0; n < 60_000; n += 1) {
      subscription.tell('notifications/resources/updated', { uri: 'x'.repeat(1_000) });
      if (n % 1_000 === 0) await pause(1);
    }
    expect(res.writableLength).toBeLessThan(100_000);
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    client.resume();
    await pause(200);
    subscription.tell('notifications/tools/list_changed');
    await pause(100);
    expect(text).toContain('notifications/tools/list_changed');
    expect(text.length).toBeLessThan(40_000_000);
  });

  it('costs nothing when it has left', async () => {
    const { client, res } = await exchange();
    const subscription = new Subscription(res, 1, LOCAL_PRINCIPAL, { toolsListChanged: true });
    client.destroy();
    await pause(50);
    subscription.tell('notifications/tools/list_changed');
    subscription.keepAlive();
    subscription.end();
    expect(res.writableLength).toBe(0);
  });
});

describe('[SS-6] a subscription, beside one of the official SDK', () => {
  it.each([
    [{ toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['a://b', 'c://d'] }, 'text'],
    [{ resourcesListChanged: true, promptsListChanged: true }, 7],
    [{}, 'empty'],
  ])('says the same, from its acknowledgement to its end: %j', async (notifications, id) => {
    const { client, res } = await exchange();
    let ours = '';
    client.on('data', (chunk: Buffer) => (ours += chunk.toString()));
    const subscription = new Subscription(res, id, LOCAL_PRINCIPAL, filter(notifications)!);
    const handler = createMcpHandler(() => new Server(SERVER_INFO, { capabilities: capabilitiesFor('modern') }));
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'subscriptions/listen',
          params: {
            notifications,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      }),
    );
    if ('resourceSubscriptions' in notifications) {
      subscription.tell('notifications/resources/updated', { uri: 'a://b' });
      handler.notify.resourceUpdated('a://b');
    }
    if ('toolsListChanged' in notifications) {
      subscription.tell('notifications/tools/list_changed');
      handler.notify.toolsChanged();
    }
    subscription.end();
    await handler.close();
    const theirs = await response.text();
    await pause(100);
    const messages = (text: string): unknown[] =>
      [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json as string) as unknown);
    expect(messages(ours)).toEqual(messages(theirs));
    expect(messages(ours).length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    undefined,
    null,
    'all',
    [],
    { toolsListChanged: 'yes' },
    { resourceSubscriptions: 'a://b' },
    { resourceSubscriptions: [1] },
  ])('takes no filter that is none: %j', (notifications) => expect(filter(notifications)).toBeUndefined());
});
