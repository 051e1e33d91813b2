import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { opsHandler } from './ops-handler.js';
import { opsListener, type OpsListener } from './ops-listener.js';
import { Readiness } from './readiness.js';

describe('opsListener', () => {
  let readiness: Readiness;
  let listener: OpsListener;
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${listener.port}${path}`, init);
    return { status: response.status, allow: response.headers.get('allow'), text: await response.text() };
  };

  beforeEach(async () => {
    readiness = new Readiness();
    listener = await opsListener({ host: '127.0.0.1', port: 0 }, { readiness });
  });
  afterEach(() => listener.close());

  it('is alive from the start, ready once started, and not while draining', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      text: '{"status":"unavailable","reasons":["starting"]}',
    });
    readiness.started();
    expect(await get('/readyz?full=1')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    readiness.draining();
    readiness.started();
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      text: '{"status":"unavailable","reasons":["draining"]}',
    });
    expect(await get('/healthz')).toMatchObject({ status: 200 });
  });

  it('is not ready while a check has a reason', async () => {
    readiness.started();
    let reason: string | undefined = 'the bus is not connected';
    const forget = readiness.check(() => reason);
    expect(JSON.parse((await get('/readyz')).text)).toEqual({ status: 'unavailable', reasons: [reason] });
    reason = undefined;
    expect((await get('/readyz')).status).toBe(200);
    reason = 'again';
    forget();
    expect((await get('/readyz')).status).toBe(200);
  });

  it('serves metrics, and nothing else', async () => {
    expect((await get('/metrics')).text).toContain('process_start_time_seconds');
    expect((await get('/healthz', { method: 'HEAD' })).status).toBe(200);
    expect(await get('/metrics', { method: 'POST', body: 'x' })).toMatchObject({ status: 405, allow: 'GET, HEAD' });
    expect((await get('/')).status).toBe(404);
    expect((await get('/healthz/../metrics2')).status).toBe(404);
  });

  it('waits for no request that does not arrive', async () => {
    const began = performance.now();
    const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined);
    socket.resume().write('GET /healthz HTTP/1.1\r\nHost: ');
    await once(socket, 'close');
    // 5 s and the next look: without looks of its own Node would take 30.
    expect(performance.now() - began).toBeLessThan(25_000);
  });

  it('says so when its port is taken', async () => {
    const again = opsListener({ host: '127.0.0.1', port: listener.port }, { readiness });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('opsHandler', () => {
  it('leaves other paths to the server it is part of, and keeps the reasons to itself unless told', async () => {
    const answer = opsHandler({ readiness: new Readiness(), showReasons: false });
    const server = createServer((request, response) => {
      if (!answer(request, response)) response.writeHead(418).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ready = await fetch(`${at}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, '{"status":"unavailable"}']);
    expect((await fetch(`${at}/metrics`)).status).toBe(418);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
});
