import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readSettings } from '@portico/settings';
import { authSettings, readAuth } from './auth-settings.js';

const JWT = {
  AUTH_MODE: 'jwt',
  JWT_ISSUER: 'https://login.example.com',
  JWT_AUDIENCE: 'https://portico.example.com/mcp',
  JWT_JWKS_URL: 'https://login.example.com/keys?v=2',
};
const read = (env: Record<string, string>, HOST = '127.0.0.1') =>
  readAuth({ ...readSettings(authSettings, env), HOST, PORTICO_HOME: resolve('home') });

describe('[FD-8] readAuth', () => {
  it('has a mode each with what it needs', () => {
    expect(read({})).toEqual({ mode: 'none' });
    expect(read({ AUTH_MODE: 'api-key' })).toEqual({ mode: 'api-key', file: resolve('home/keys.json') });
    expect(read({ AUTH_MODE: 'api-key', API_KEYS_FILE: 'k' })).toEqual({ mode: 'api-key', file: resolve('k') });
    expect(read(JWT)).toEqual({
      mode: 'jwt',
      issuer: JWT.JWT_ISSUER,
      audience: JWT.JWT_AUDIENCE,
      jwksUrl: JWT.JWT_JWKS_URL,
      header: 'authorization',
      tenantClaim: 'tenant',
      defaultTenant: undefined,
      scopeClaims: ['scope', 'scp'],
      defaultScopes: [],
      algorithms: expect.not.arrayContaining(['none', 'HS256', 'HS384', 'HS512']),
      resource: {
        url: JWT.JWT_AUDIENCE,
        metadataUrl: 'https://portico.example.com/.well-known/oauth-protected-resource/mcp',
      },
    });
  });

  it.each([
    [{ PUBLIC_URL: 'https://a.example.com' }, 'https://a.example.com/mcp', 'https://a.example.com/WK/mcp'],
    [{ PUBLIC_URL: 'https://a.example.com/x/' }, 'https://a.example.com/x/mcp', 'https://a.example.com/x/WK/mcp'],
    [{ JWT_AUDIENCE: 'https://b.example.com' }, 'https://b.example.com', 'https://b.example.com/WK'],
    [{ JWT_AUDIENCE: 'https://b.example.com/api' }, 'https://b.example.com/api', 'https://b.example.com/WK'],
  ])('with %j is the resource %s', (env, url, metadataUrl) => {
    const { resource } = read({ ...JWT, ...env }) as { resource?: object };
    expect(resource).toEqual({ url, metadataUrl: metadataUrl.replace('WK', '.well-known/oauth-protected-resource') });
  });

  it('leaves the resource to the request where only loopback can reach it, and asks for PUBLIC_URL elsewhere', () => {
    const env = { ...JWT, JWT_AUDIENCE: 'portico' };
    expect(read(env)).toMatchObject({ resource: undefined });
    expect(() => read(env, '0.0.0.0')).toThrow(expect.objectContaining({ variable: 'PUBLIC_URL' }));
    expect(read({ ...env, PUBLIC_URL: 'https://a.example.com' }, '0.0.0.0')).toMatchObject({ mode: 'jwt' });
  });

  it('takes http of loopback addresses alone', () => {
    const local = { ...JWT, JWT_ISSUER: 'http://localhost:9000', JWT_JWKS_URL: 'http://127.0.0.1:9000/jwks' };
    expect(read(local)).toMatchObject({ issuer: 'http://localhost:9000' });
  });

  it.each([
    ['JWT_ISSUER', '', 'JWT_ISSUER is not set, and it must be where AUTH_MODE is jwt.'],
    ['JWT_AUDIENCE', '', 'JWT_AUDIENCE is not set, and it must be where AUTH_MODE is jwt.'],
    ['JWT_JWKS_URL', '', 'JWT_JWKS_URL is not set, and it must be where AUTH_MODE is jwt.'],
    [
      'JWT_ISSUER',
      'http://login.example.com',
      'JWT_ISSUER is "http://login.example.com", but it takes https beyond loopback.',
    ],
    ['JWT_JWKS_URL', 'http://10.0.0.1/k', 'JWT_JWKS_URL is "http://10.0.0.1/k", but it takes https beyond loopback.'],
    [
      'JWT_JWKS_URL',
      'https://u:hunter2@a.example.com',
      'JWT_JWKS_URL has a user or a password in it, and takes a URL without.',
    ],
    [
      'PUBLIC_URL',
      'https://a.example.com?b',
      'PUBLIC_URL is "https://a.example.com?b", but it takes a URL without ? and #.',
    ],
    ['JWT_ALGORITHMS', 'RS256,HS256', 'JWT_ALGORITHMS has "HS256", but it takes some of RS256, '],
    ['JWT_ALGORITHMS', 'none', 'JWT_ALGORITHMS has "none", but it takes some of RS256, '],
    ['JWT_ALGORITHMS', ',', 'JWT_ALGORITHMS takes some of RS256, '],
    ['JWT_DEFAULT_SCOPES', 'a,*', 'JWT_DEFAULT_SCOPES has "*", but it takes scopes such as portico:call; * is none.'],
    ['JWT_DEFAULT_TENANT', 'a\tb', 'JWT_DEFAULT_TENANT takes 1 to 256 characters, none of them a control character.'],
    ['JWT_HEADER', 'a b', 'JWT_HEADER is "a b", but it takes the name of a header.'],
  ])('refuses %s=%s in one sentence', (variable, value, sentence) => {
    const wrong = expect.objectContaining({ variable, message: expect.stringContaining(sentence) });
    expect(() => read({ ...JWT, [variable]: value })).toThrow(wrong);
  });

  it('takes each block of settings on the page about it', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/authentication.md'), 'utf8');
    const blocks = [...page.matchAll(/```sh\n([^`]+)```/g)].map(([, text]) => parseEnv(text as string));
    expect(blocks.length).toBeGreaterThanOrEqual(5);
    for (const block of blocks) {
      for (const name of Object.keys(block)) expect(Object.keys(authSettings)).toContain(name);
      expect(read(block as Record<string, string>, '0.0.0.0').mode).toBe(block['AUTH_MODE']);
    }
  });
});
