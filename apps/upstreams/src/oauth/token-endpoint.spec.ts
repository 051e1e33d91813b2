import { describe, expect, it } from '@jest/globals';
import { learntAddress } from './token-endpoint.js';

describe('[UP-11] an address that metadata names', () => {
  it.each([
    ['https://issuer.example/token', false],
    ['http://issuer.example/token', true],
  ])('may be %s (allowPrivate: %j)', (url, allowPrivate) => {
    expect(learntAddress(url, { allowPrivate }).href).toBe(url);
  });

  it.each([
    ['http://issuer.example/token', false],
    ['ftp://issuer.example/', true],
    ['file:///etc/passwd', true],
    ['https://user@issuer.example/', false],
    ['https://:password@issuer.example/', false],
    ['no address', false],
    [undefined, false],
    [{ href: 'https://issuer.example/' }, false],
  ])('may not be %j (allowPrivate: %j), as the secret goes there', (url, allowPrivate) => {
    expect(() => learntAddress(url, { allowPrivate })).toThrow('the metadata names an address that is not usable');
  });
});
