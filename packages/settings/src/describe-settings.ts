import type { SettingsTable } from './read-settings.js';

/** One row of `--help` and of the README's table of settings. */
export interface SettingRow {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

/** The rows of some tables, in their order; a name that several declare is one row, the first one's. */
export function describeSettings(...tables: readonly SettingsTable[]): SettingRow[] {
  const rows = new Map<string, SettingRow>();
  for (const [variable, declared] of tables.flatMap((table) => Object.entries(table))) {
    const [name, other] = declared.file === 'name' ? [`${variable}_FILE`, variable] : [variable, `${variable}_FILE`];
    const meaning = declared.file === 'none' ? declared.meaning : `${declared.meaning} (or by ${other})`;
    if (!rows.has(name)) rows.set(name, { name, default: declared.shownDefault, meaning });
  }
  return [...rows.values()];
}

/** Rows as aligned text, names first; a name longer than the column pushes its row to the right. */
export function formatSettings(rows: readonly SettingRow[]): string {
  const width = (pick: (row: SettingRow) => string, limit: number): number =>
    Math.min(limit, Math.max(0, ...rows.map((row) => pick(row).length)));
  const names = width((row) => row.name, 32);
  const defaults = width((row) => row.default, 28);
  return rows
    .map((row) => `  ${row.name.padEnd(names)}  ${row.default.padEnd(defaults)}  ${row.meaning}`.trimEnd())
    .join('\n');
}
