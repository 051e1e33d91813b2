import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { RememberedTokens } from './remembered-tokens.js';

const principal = { tenant: 'acme', subject: 'alice', scopes: ['portico:call'] };
const later = (): number => Date.now() + 60_000;

describe('[FD-8] RememberedTokens', () => {
  it('gives the same principal each time', () => {
    const tokens = new RememberedTokens(60_000);
    tokens.remember('a', principal, later(), tokens.era);
    expect(tokens.get('a')).toBe(principal);
    expect(tokens.get('a')).toBe(principal);
    expect(tokens.get('b')).toBeUndefined();
  });

  it('remembers none past its expiry, nor for longer than it is told to', async () => {
    const tokens = new RememberedTokens(60_000);
    tokens.remember('expires', principal, Date.now() + 30, tokens.era);
    const short = new RememberedTokens(30);
    short.remember('a', principal, later(), short.era);
    await sleep(60);
    expect(tokens.get('expires')).toBeUndefined();
    expect(short.get('a')).toBeUndefined();
  });

  it('forgets all at once, and those too whose verification began before that', () => {
    const tokens = new RememberedTokens(60_000);
    const { era } = tokens;
    tokens.remember('a', principal, later(), era);
    tokens.forgetAll();
    tokens.remember('b', principal, later(), era);
    expect([tokens.get('a'), tokens.get('b')]).toEqual([undefined, undefined]);
    tokens.remember('b', principal, later(), tokens.era);
    expect(tokens.get('b')).toBe(principal);
  });

  it('remembers 10,000 at most: the oldest goes first', () => {
    const tokens = new RememberedTokens(60_000);
    for (let i = 0; i <= 10_000; i++) tokens.remember(String(i), principal, later(), tokens.era);
    expect(tokens.get('0')).toBeUndefined();
    expect(tokens.get('1')).toBe(principal);
    expect(tokens.get('10000')).toBe(principal);
  });
});
