import { describe, expect, it } from '@jest/globals';
import { mayHoldEntries, readConfig } from './config.js';

describe('readConfig', () => {
  it('has a default for everything, and takes 0 for a value', () => {
    expect(readConfig({ PORTICO_HOME: '/srv/portico' })).toMatchObject({
      on: true,
      tenantBytes: 104_857_600,
      modelDir: undefined,
      databaseUrl: 'pglite:/srv/portico/data',
      busUrl: 'memory:',
    });
    expect(readConfig({ CACHE_TENANT_BYTES: '0', SEMANTIC_CACHE: 'off' })).toMatchObject({ tenantBytes: 0, on: false });
    expect(() => readConfig({ SEMANTIC_CACHE: 'maybe' })).toThrow('SEMANTIC_CACHE is "maybe"');
  });

  it('[SC-9] knows where entries may be from before', () => {
    expect(mayHoldEntries('postgres://db/x')).toBe(true);
    expect(mayHoldEntries(`pglite:${import.meta.dirname}`)).toBe(true);
    expect(mayHoldEntries(`pglite:${import.meta.dirname}/absent`)).toBe(false);
    expect(mayHoldEntries('pglite:memory:')).toBe(false);
  });
});
