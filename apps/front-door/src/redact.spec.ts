import { describe, expect, it } from '@jest/globals';
import { REDACT_LIMIT, redact, redactedMessage } from './redact.js';
import { BENIGN, HOSTILE } from '../test/backend-messages.js';

const PAD = 400_000;

describe('[FD-23] what a backend says', () => {
  it('the corpus is large enough to mean something', () => expect(HOSTILE.length).toBeGreaterThanOrEqual(60));

  it.each(HOSTILE)('shows nothing of the inside: %j', (message, ...secrets) => {
    const shown = redactedMessage(message);
    for (const secret of secrets) {
      expect(message).toContain(secret);
      expect(shown).not.toContain(secret);
      expect(redact(message)).not.toContain(secret);
    }
  });

  it.each(HOSTILE)('hides the same inside JSON, and in the middle of a sentence: %j', (message, ...secrets) => {
    const nested = redactedMessage(`upstream answered {"error":${JSON.stringify(message)}} and gave up`);
    const among = redactedMessage(`It said: ${message} (twice)`);
    for (const secret of secrets) {
      expect(nested).not.toContain(secret);
      expect(among).not.toContain(secret);
    }
  });

  it.each(BENIGN)('stays readable: %s', (message) => expect(redactedMessage(message)).toBe(message));

  it.each([...HOSTILE.map(([message]) => message), ...BENIGN])('is redacted once and for all: %j', (message) => {
    expect(redact(redact(message))).toBe(redact(message));
    expect(redactedMessage(redactedMessage(message))).toBe(redactedMessage(message));
  });

  it('is bounded by 500 characters, halves no character, and marks the cut', () => {
    const shown = redactedMessage('🧨 boom '.repeat(1_000));
    expect(shown.length).toBeLessThanOrEqual(500);
    expect(shown.endsWith('…')).toBe(true);
    expect(/\p{Surrogate}/u.test(shown)).toBe(false);
    expect(redactedMessage('x '.repeat(2 * REDACT_LIMIT)).length).toBeLessThanOrEqual(500);
  });

  it('shows no part of a secret that lies across the cap', () => {
    const secret = 'ghp_0123456789abcdefABCDEF0123456789';
    for (let split = 0; split <= secret.length; split++) {
      const text = 'word '.repeat(REDACT_LIMIT).slice(0, REDACT_LIMIT - split - 1);
      expect(redact(`${text} ${secret} end`)).not.toMatch(/ghp_/);
    }
  });

  it('takes out control characters, terminal colours, and marks that reorder text', () => {
    expect(redactedMessage('\u001b[31mred\u001b[0m\u0000 \u202egnp.exe\u2066 a\u200bb\r\nnext\tline')).toBe(
      'red gnp.exe ab next line',
    );
    expect(redactedMessage('half \ud83d of one')).toBe('half \ufffd of one');
  });

  it.each([
    'a',
    'A1',
    '/',
    '//',
    './',
    '/a',
    'a/',
    ':',
    '::',
    'a:',
    '://',
    'a://',
    '"',
    '"/',
    "'/",
    '`/',
    '\\',
    '\\\\',
    '=',
    'token=',
    'token="',
    "password='",
    '@',
    'a@',
    'at ',
    ' at a(',
    ' at (',
    'at at (',
    '[',
    '(',
    '-----BEGIN ',
    '-----END ',
    'eyJ',
    '1.',
    '1.1.1.1',
    'f:',
    'bearer ',
    'authorization: ',
    'x-',
    'x-a-',
    'a-',
    'a_',
    'host=',
    'ENOTFOUND ',
    'getaddrinfo ',
    '\n',
    ' \n',
    '\n    at ',
    '#1 a(',
    'lookup a',
    '%2f',
    '.',
    'a.',
    '-p ',
    '\u001b[',
    '\u001b[1;',
    'pass',
    'api-',
    'x-token-',
  ])('is linear: %j over and over costs no more than any text', (unit) => {
    const text = unit.repeat(Math.ceil(PAD / unit.length));
    const startedAt = performance.now();
    redact(text);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('never throws and settles at once, whatever it is given', () => {
    const parts = [
      'at ',
      '(',
      ')',
      '/etc',
      'x',
      ':',
      '//',
      '"',
      "'",
      '\n',
      '\\',
      '=',
      'token',
      'password',
      '[host]',
      '[path]',
      ' ',
      '@',
      '.com',
      '10.0.0.1',
      '::1',
      'eyJ',
      '-----BEGIN ',
      '…',
      '%2F',
    ];
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let run = 0; run < 3_000; run++) {
      const text = Array.from({ length: 1 + next(14) }, () => parts[next(parts.length)]).join('');
      expect({ text, redacted: redact(redact(text)) }).toEqual({ text, redacted: redact(text) });
    }
  });
});
