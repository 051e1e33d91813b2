import { describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import { canPass, discoveryErrorOf } from './discovery-error.js';

describe('[DI-6] why a source can not be asked', () => {
  it.each([
    ['TIMEOUT', 'timeout'],
    ['UNAUTHENTICATED', 'unauthorized'],
    ['PERMISSION_DENIED', 'unauthorized'],
    ['BACKEND_UNAVAILABLE', 'unreachable'],
    ['RATE_LIMITED', 'unreachable'],
    ['CANCELLED', 'unreachable'],
    ['CONFLICT', 'invalid_response'],
    ['PAYLOAD_TOO_LARGE', 'invalid_response'],
    ['UNKNOWN_ERROR', 'invalid_response'],
  ] as const)('%s is said as %s', (code, word) => {
    expect(discoveryErrorOf(new Fault(code, 'No.'))).toBe(word);
  });

  it('anything that is no fault is said as invalid_response', () => {
    expect(discoveryErrorOf(new TypeError('broken'))).toBe('invalid_response');
    expect(discoveryErrorOf('broken')).toBe('invalid_response');
  });
});

describe('[DI-5] what is tried again', () => {
  it.each([
    ['TIMEOUT', true],
    ['BACKEND_UNAVAILABLE', true],
    ['RATE_LIMITED', true],
    ['CONFLICT', true],
    ['UNAUTHENTICATED', false],
    ['PERMISSION_DENIED', false],
    ['PAYLOAD_TOO_LARGE', false],
    ['CANCELLED', false],
    ['UNKNOWN_ERROR', false],
  ] as const)('%s: %s', (code, passes) => {
    expect(canPass(new Fault(code, 'No.'))).toBe(passes);
  });
});
