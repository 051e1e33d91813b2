import { describe, expect, it } from '@jest/globals';
import { readNatsAddress } from './nats-address.js';

describe('readNatsAddress', () => {
  it.each([
    ['nats://a', { servers: ['a:4222'], tls: false }],
    ['nats://a:1, nats://b:2', { servers: ['a:1', 'b:2'], tls: false }],
    ['tls://bus.example:443/', { servers: ['bus.example:443'], tls: true }],
    ['nats://[::1]:4222', { servers: ['[::1]:4222'], tls: false }],
    ['nats://al%40ice:p%3Aw@a,nats://b', { servers: ['a:4222', 'b:4222'], tls: false, user: 'al@ice', pass: 'p:w' }],
    ['nats://t0ken@a', { servers: ['a:4222'], tls: false, token: 't0ken' }],
  ])('reads %s', (url, address) => {
    expect(readNatsAddress(url)).toEqual(address);
  });

  it.each([
    '',
    'a:4222',
    'http://a',
    'nats://',
    'nats://a,',
    'nats://a/path',
    'nats://a?x=1',
    'nats://a:99999',
    'nats://a,tls://b',
    'memory',
    'nats://alice:%zz@a',
  ])('refuses %s by a sentence that names the setting', (url) => {
    expect(() => readNatsAddress(url)).toThrow(/^BUS_URL /);
  });

  it('repeats no password', () => {
    for (const url of [
      'http://alice:s3cret@a',
      'nats://alice:s3cret@a/path',
      'nats://alice:s3cret@a,tls://b',
      'nats://alice:s3cret%zz@a',
    ]) {
      expect(() => readNatsAddress(url)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
      );
    }
  });
});
