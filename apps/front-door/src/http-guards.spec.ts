import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { HttpGuards, isLoopback } from './http-guards.js';

const asking = (headers: Record<string, string>): IncomingMessage => ({ headers }) as unknown as IncomingMessage;
const loopback = new HttpGuards({
  host: '127.0.0.1',
  allowedOrigins: ['https://app.example.com'],
  allowedHosts: ['Portico.Test'],
});
const open = new HttpGuards({ host: '0.0.0.0', allowedOrigins: ['https://app.example.com'], allowedHosts: [] });
const local = { host: '127.0.0.1:8080' };

describe('[FD-4] the Host header, while bound to loopback', () => {
  it.each(['127.0.0.1', '127.0.0.1:8080', 'localhost:1', '[::1]:8080', 'portico.test', 'PORTICO.test:80'])(
    'accepts %s',
    (host) => {
      expect(loopback.check(asking({ host }))).toBeUndefined();
    },
  );

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'evil.example#localhost',
    '10.0.0.1',
    '',
    'localhost/x',
    'a b',
  ])('refuses %j with 403', (host) => {
    expect(loopback.check(asking({ host }))).toMatchObject({ status: 403, faultCode: 'PERMISSION_DENIED' });
  });

  it('refuses a request without one', () => {
    expect(loopback.check(asking({}))).toMatchObject({ status: 403 });
  });

  it('is checked beyond loopback where hosts are named, and only there', () => {
    expect(open.check(asking({ host: 'anything.example' }))).toBeUndefined();
    const named = new HttpGuards({ host: '0.0.0.0', allowedOrigins: [], allowedHosts: ['mcp.example.com'] });
    expect(named.check(asking({ host: 'MCP.example.com:443' }))).toBeUndefined();
    expect(named.check(asking({ host: 'anything.example' }))).toMatchObject({ status: 403 });
  });
});

describe('[FD-4] the Origin header', () => {
  it('may be absent', () => {
    expect(loopback.check(asking(local))).toBeUndefined();
    expect(open.check(asking({ host: 'x' }))).toBeUndefined();
  });

  it.each(['https://app.example.com'])('accepts the listed %s on either binding', (origin) => {
    expect(loopback.check(asking({ ...local, origin }))).toBeUndefined();
    expect(open.check(asking({ host: 'x', origin }))).toBeUndefined();
  });

  it.each(['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:5173'])(
    'accepts %s while bound to loopback, and only then',
    (origin) => {
      expect(loopback.check(asking({ ...local, origin }))).toBeUndefined();
      expect(open.check(asking({ host: 'x', origin }))).toMatchObject({ status: 403 });
    },
  );

  it.each([
    'null',
    '',
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://app.example.com:444',
    'http://app.example.com',
    'http://localhost@evil.example',
    'http://localhost.evil.example',
    'file://localhost',
    'http://localhost:3000/path',
  ])('refuses %j with 403', (origin) => {
    expect(loopback.check(asking({ ...local, origin }))).toMatchObject({ status: 403 });
  });
});

describe('[FD-6] which addresses count as loopback', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost'])('%s does', (host) => expect(isLoopback(host)).toBe(true));
  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com'])('%s does not', (host) =>
    expect(isLoopback(host)).toBe(false),
  );
});
