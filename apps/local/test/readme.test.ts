import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSettings } from '@portico/settings';
import { help } from '../src/help.js';
import { settingsTables } from '../src/local.module.js';

describe('the table of settings', () => {
  const rows = describeSettings(...settingsTables);

  it('in the README is what the apps declare', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
    const table = /<!-- settings -->\n([^]*?)<!-- \/settings -->/.exec(readme)?.[1] as string;
    const squeezed = table
      .trim()
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => line.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));
    const cell = (text: string): string => text.replaceAll('|', '\\|');
    expect(squeezed).toEqual([
      '| name | default | meaning |',
      '| --- | --- | --- |',
      ...rows.map((row) => `| \`${row.name}\` | ${cell(row.default)} | ${cell(row.meaning)} |`),
    ]);
  });

  it('is what --help prints', () => {
    for (const { name, meaning } of rows)
      expect(help()).toMatch(new RegExp(`^  ${name} .*${meaning.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'm'));
  });
});
