import { describe, expect, it } from '@jest/globals';
import { describeSettings, formatSettings } from './describe-settings.js';
import { setting } from './kinds.js';

describe('describeSettings', () => {
  it('has a row a setting: its names, its default as people write it, its meaning', () => {
    const front = {
      PORT: setting.port({ default: 8080, meaning: 'where agents connect' }),
      MANIFEST: setting.onOff({ default: true, meaning: 'the manifest' }),
      ALLOWED_ORIGINS: setting.list({ default: [], meaning: 'origins' }),
      MCP_SERVERS_FILE: setting.path({ shownDefault: 'mcp.json if it exists', meaning: 'servers' }),
      BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus' }),
      KEY: setting.secret({ meaning: 'a key' }),
      CLUSTER_MCP_URL: setting.url({ required: true, meaning: 'the server' }),
    };
    const other = { PORT: setting.port({ default: 1, meaning: 'declared twice' }) };
    expect(describeSettings(front, other)).toEqual([
      { name: 'PORT', default: '8080', meaning: 'where agents connect' },
      { name: 'MANIFEST', default: 'on', meaning: 'the manifest' },
      { name: 'ALLOWED_ORIGINS', default: 'none', meaning: 'origins' },
      { name: 'MCP_SERVERS_FILE', default: 'mcp.json if it exists', meaning: 'servers' },
      { name: 'BUS_URL', default: 'memory:', meaning: 'the bus (or by BUS_URL_FILE)' },
      { name: 'KEY_FILE', default: 'none', meaning: 'a key (or by KEY)' },
      { name: 'CLUSTER_MCP_URL', default: 'required', meaning: 'the server' },
    ]);
  });

  it('lines the columns up', () => {
    expect(
      formatSettings([
        { name: 'PORT', default: '8080', meaning: 'where agents connect' },
        { name: 'PORTICO_HOME', default: '.portico', meaning: 'what is written' },
      ]),
    ).toBe('  PORT          8080      where agents connect\n  PORTICO_HOME  .portico  what is written');
  });
});
