import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { guardAdmin } from './admin-guards.js';
import { AdminToken } from './admin-token.js';

const TOKEN = 'a'.repeat(43);
const asked = (bound: string, headers: Record<string, string | string[] | undefined>, port = 8081) => {
  const all = { host: '127.0.0.1:8081', authorization: `Bearer ${TOKEN}`, ...headers };
  const headersDistinct = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])),
  );
  const req = { headersDistinct, socket: { localPort: port } } as unknown as IncomingMessage;
  return guardAdmin(req, { host: bound, token: new AdminToken(TOKEN) })?.status;
};

describe('[UP-2] the Host of the admin listener', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1:8081'],
    ['127.0.0.1', 'localhost:8081'],
    ['127.0.0.1', 'LOCALHOST:8081'],
    ['127.0.0.1', '[::1]:8081'],
    ['localhost', 'localhost:8081'],
    ['127.8.8.8', '127.8.8.8:8081'],
    ['::1', '[::1]:8081'],
    ['10.1.2.3', '10.1.2.3:8081'],
    ['fd00::1', '[fd00::1]:8081'],
    ['Admin.example.com', 'admin.example.com:8081'],
    ['0.0.0.0', '10.1.2.3:8081'],
    ['0.0.0.0', 'localhost:8081'],
    ['::', '[fd00::1]:8081'],
  ])('bound to %s it may be %s', (bound, host) => expect(asked(bound, { host })).toBeUndefined());

  it('is without its port on port 80', () => {
    expect(asked('127.0.0.1', { host: 'localhost' }, 80)).toBeUndefined();
    expect(asked('127.0.0.1', { host: 'localhost:80' }, 80)).toBeUndefined();
  });

  it.each([
    ['127.0.0.1', 'evil.example:8081'],
    ['127.0.0.1', 'localhost.evil.example:8081'],
    ['127.0.0.1', 'localhost:8080'],
    ['127.0.0.1', 'localhost'],
    ['127.0.0.1', '127.1:8081'],
    ['127.0.0.1', '0x7f000001:8081'],
    ['127.0.0.1', '0.0.0.0:8081'],
    ['127.0.0.1', '10.1.2.3:8081'],
    ['127.0.0.1', 'evil.example@localhost:8081'],
    ['127.0.0.1', 'localhost:8081#evil.example'],
    ['127.0.0.1', 'localhost:8081/x'],
    ['127.0.0.1', 'localhost:8081, evil.example'],
    ['127.0.0.1', 'localhost:008081'],
    ['127.0.0.1', ' '],
    ['127.0.0.1', ''],
    ['127.0.0.1', undefined],
    ['127.0.0.1', ['localhost:8081', 'localhost:8081']],
    ['10.1.2.3', 'localhost:8081'],
    ['10.1.2.3', '10.1.2.4:8081'],
    ['0.0.0.0', 'evil.example:8081'],
    ['0.0.0.0', '[localhost]:8081'],
    ['0.0.0.0', '10.1.2.3:8080'],
  ])('bound to %s it is not %j', (bound, host) => expect(asked(bound, { host })).toBe(403));
});

describe('[UP-2] the Origin of a request to the admin listener', () => {
  it('may be absent, or the listener’s own', () => {
    expect(asked('127.0.0.1', {})).toBeUndefined();
    expect(asked('127.0.0.1', { origin: 'http://127.0.0.1:8081' })).toBeUndefined();
    expect(asked('127.0.0.1', { host: 'Localhost:8081', origin: 'http://localhost:8081' })).toBeUndefined();
  });

  it.each([
    'null',
    '',
    'http://evil.example',
    'http://127.0.0.1:3000',
    'http://localhost:8081',
    'https://127.0.0.1:8081',
    'http://127.0.0.1:8081/',
    'http://127.0.0.1:8081.evil.example',
    ['http://127.0.0.1:8081', 'http://evil.example'],
  ])('is not %j, token or not', (origin) => {
    expect(asked('127.0.0.1', { origin })).toBe(403);
    expect(asked('127.0.0.1', { origin, authorization: undefined })).toBe(403);
  });
});

describe('[UP-2] the token of a request to the admin listener', () => {
  it.each([undefined, '', 'Bearer', `Bearer ${'b'.repeat(43)}`, TOKEN, [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]])(
    'is not %j',
    (authorization) => expect(asked('127.0.0.1', { authorization })).toBe(401),
  );
});
