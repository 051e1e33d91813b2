import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      busUrl: 'memory:',
      serversFile: { optional: true },
      callTimeoutMs: 120_000,
      answerLimitBytes: 8_388_608,
      serverSecrets: new Set(),
      stdioByApi: true,
    });
  });

  it('[UP-1] takes what entries saved by API may be', () => {
    const config = readConfig({ SERVER_SECRETS: 'A, B', STDIO_BY_API: 'off', MCP_SERVERS_FILE: '/x/mcp.json' });
    expect(config).toMatchObject({ serverSecrets: new Set(['A', 'B']), stdioByApi: false });
    expect(config.serversFile).toEqual({ path: '/x/mcp.json', optional: false });
  });

  it('takes a deadline for all calls', () => {
    expect(readConfig({ CALL_TIMEOUT_SECS: '0.5' }).callTimeoutMs).toBe(500);
  });

  it('refuses a deadline of nothing', () => {
    expect(() => readConfig({ CALL_TIMEOUT_SECS: '0' })).toThrow('CALL_TIMEOUT_SECS');
  });
});
