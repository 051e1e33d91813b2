import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { SettingsTable } from '@portico/settings';

const apps = readdirSync(join(import.meta.dirname, '../apps')).filter((name) => name !== 'local');

describe('[OP-6] no credential has to stand in an environment variable', () => {
  it.each(apps)('%s takes each of its own from a file', async (app) => {
    const { settings } = (await import(`../apps/${app}/src/config.ts`)) as { settings: SettingsTable };
    const names = Object.keys(settings);
    const mayHold = names.filter(
      (name) => settings[name]?.secret || /^(BUS|DATABASE|REDIS)_URL$|TOKEN$|_KEY$|PASSWORD|SECRET$/.test(name),
    );
    expect(mayHold).toContain('BUS_URL');
    expect(mayHold.filter((name) => settings[name]?.file === 'none')).toEqual([]);
  });
});
