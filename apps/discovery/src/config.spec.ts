import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('readConfig', () => {
  it('[DI-3][DI-7] keeps 256 catalogues for 300 s, and an hour longer while their source fails, unless told otherwise', () => {
    expect(readConfig({})).toMatchObject({ cacheTtlMs: 300_000, maxEntries: 256, graceMs: 3_600_000 });
    expect(readConfig({ MCP_DISCOVERY_CACHE_TTL_SECS: '', MCP_DISCOVERY_CACHE_MAX_ENTRIES: '' })).toMatchObject({
      cacheTtlMs: 300_000,
      maxEntries: 256,
    });
  });

  it('[DI-3] takes a time of 0 for none, and not for unset', () => {
    expect(readConfig({ MCP_DISCOVERY_CACHE_TTL_SECS: '0', MCP_DISCOVERY_GRACE_SECS: '0' })).toMatchObject({
      cacheTtlMs: 0,
      graceMs: 0,
    });
  });

  it.each(['0', '-1', '1.5', 'many'])('[DI-3] refuses room for %s catalogues', (value) => {
    expect(() => readConfig({ MCP_DISCOVERY_CACHE_MAX_ENTRIES: value })).toThrow(/MCP_DISCOVERY_CACHE_MAX_ENTRIES/);
  });
});
