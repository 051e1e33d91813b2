import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('[AD-18] the settings of the GitHub adapter', () => {
  it('is not configured without a list of repositories', () => {
    expect(readConfig({ GITHUB_TOKEN: 't' })).toBeUndefined();
    expect(readConfig({ GITHUB_REPOSITORIES: ' , ' })).toBeUndefined();
  });

  it('takes a list, and a file for its token before the token itself', () => {
    const env = { GITHUB_REPOSITORIES: 'acme/shop, Acme-Inc/.github', GITHUB_TOKEN: 't', GITHUB_TOKEN_FILE: '/run/t' };
    expect(readConfig(env)).toMatchObject({
      repositories: ['acme/shop', 'Acme-Inc/.github'],
      apiUrl: 'https://api.github.com',
      token: { file: '/run/t' },
    });
  });

  it.each([
    'acme',
    'acme/*',
    '*',
    'acme/shop/x',
    'acme/..',
    'acme/.',
    '../shop',
    'https://github.com/acme/shop',
    'a b/c',
  ])('refuses %s in a sentence', (name) => {
    expect(() => readConfig({ GITHUB_REPOSITORIES: `acme/shop,${name}` })).toThrow(
      `GITHUB_REPOSITORIES has ${JSON.stringify(name)} in it, but takes names like owner/name.`,
    );
  });

  it('takes no address without TLS', () => {
    const env = { GITHUB_REPOSITORIES: 'acme/shop', GITHUB_API_URL: 'http://github.example.com/api/v3' };
    expect(() => readConfig(env)).toThrow(/^GITHUB_API_URL cannot be used: http:\/\/ is only for loopback/);
  });
});
