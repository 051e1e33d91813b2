import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('[AD-7] the settings of the Dagger adapter', () => {
  it('is not configured without a dispatcher', () => {
    expect(readConfig({ CI_DISPATCHER_TOKEN: 't' })).toBeUndefined();
  });

  it('takes a dispatcher, and a file for its token before the token itself', () => {
    const env = {
      CI_DISPATCHER_URL: 'https://ci.example.com/api',
      CI_DISPATCHER_TOKEN: 't',
      CI_DISPATCHER_TOKEN_FILE: '/run/secrets/ci',
    };
    expect(readConfig(env)).toMatchObject({ url: 'https://ci.example.com/api', token: { file: '/run/secrets/ci' } });
    expect(readConfig({ CI_DISPATCHER_URL: 'http://ci-dispatcher:8080' })?.token).toBeUndefined();
  });

  it.each(['http://ci.example.com', 'https://a:b@ci.example.com', 'https://ci.example.com/#x', 'ci.example.com'])(
    'refuses %s in a sentence',
    (url) => {
      expect(() => readConfig({ CI_DISPATCHER_URL: url })).toThrow(/^CI_DISPATCHER_URL /);
    },
  );
});
