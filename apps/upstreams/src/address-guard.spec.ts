import { describe, expect, it } from '@jest/globals';
import { isPrivateAddress, isPrivateHost, publicLookup } from './address-guard.js';

describe('[UP-11] address guard', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    'no address',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2002:101:101::',
  ])('%s is not', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  it.each([
    ['http://127.1/', true],
    ['http://0x7f000001/', true],
    ['http://2130706433/', true],
    ['http://[::1]:80/', true],
    ['http://[::ffff:10.0.0.1]/', true],
    ['http://localhost./', true],
    ['http://a.LOCALHOST/', true],
    ['https://1.1.1.1/', false],
    ['https://localhost.example/', false],
  ])('%s at a private host: %p', (url, known) => {
    expect(isPrivateHost(url)).toBe(known);
  });

  it.each([{ all: true }, { all: false }, {}])('finds no private address by name, asked with %j', async (options) => {
    const error = await new Promise((resolve) => publicLookup('localhost', options, resolve));
    expect(error).toMatchObject({ code: 'EACCES' });
  });
});
