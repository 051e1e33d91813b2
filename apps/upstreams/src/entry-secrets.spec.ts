import { describe, expect, it } from '@jest/globals';
import { secretsOf, withoutSecrets } from './entry-secrets.js';

describe('[UP-1] what a server prints', () => {
  it('is shown without the values of its env, whole or in part', () => {
    const env = { PATH: '/usr/bin/of-the-gateway', TOKEN: 'Bearer abcdefgh', SHORT: '1', KEY: 'abcdefghij' };
    const target = { transport: 'stdio', command: 'x', args: [], env } as const;
    const secrets = secretsOf(target, { PATH: '/usr/bin/of-the-gateway', TOKEN: 'other' });
    const line = (text: string) => withoutSecrets(text, secrets);
    expect(line('using Bearer abcdefgh and abcdefgh, 1 key abcdefghij')).toBe(
      'using [redacted] and [redacted], 1 key [redacted]',
    );
    expect(line('in /usr/bin/of-the-gateway')).toBe('in /usr/bin/of-the-gateway');
  });

  it('is shown without the values of its headers', () => {
    const target = { transport: 'http', url: 'https://a.example', headers: { Authorization: 'Bearer t0ken-t0ken' } };
    expect(withoutSecrets('401 for t0ken-t0ken', secretsOf(target as never, {}))).toBe('401 for [redacted]');
  });
});
