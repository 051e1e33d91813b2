import { describe, expect, it } from '@jest/globals';
import { readSettings } from '@portico/settings';
import { callTimeoutSettings, domainCallTimeoutMs } from './call-timeout.js';

describe("a domain's deadline", () => {
  const of = (env: Record<string, string>) =>
    domainCallTimeoutMs(readSettings(callTimeoutSettings, env).CALL_TIMEOUT_SECS);

  it('is CALL_TIMEOUT_SECS, in whole milliseconds, and 30 s without it', () => {
    expect([of({}), of({ CALL_TIMEOUT_SECS: '2.5' }), of({ CALL_TIMEOUT_SECS: '0.0011' })]).toEqual([30_000, 2_500, 2]);
    expect(() => of({ CALL_TIMEOUT_SECS: '0' })).toThrow('CALL_TIMEOUT_SECS');
  });
});
