import type { Database } from '@portico/storage';

/** Checks that count: the last ones of a tool. */
const CHECKS = 200;
/** With more of them wrong no 200 checks that they are among come to 0.99. */
const MOST_WRONG = 2;

export interface ToolChecks {
  /** Share of the last 200 checks, or of as many as there were, that agreed. */
  readonly precision: number;
  readonly suspended: boolean;
}

export const precisionOf = (recent: string): number => recent.replaceAll('0', '').length / recent.length;

/** Notes a check of a tool; its third wrong one among 200 takes its semantic lane. Rejects with a StorageError. */
export const noteCheck = async (database: Database, tool: string, agreed: boolean): Promise<ToolChecks> => {
  const { rows } = await database.query<{ recent: string; suspended: boolean }>(
    `INSERT INTO cache_tools AS t (tool_name, recent) VALUES ($1, $2)
     ON CONFLICT (tool_name) DO UPDATE SET recent = right(t.recent || $2, ${CHECKS}),
       suspended = t.suspended OR length(replace(right(t.recent || $2, ${CHECKS}), '1', '')) > ${MOST_WRONG}
     RETURNING recent, suspended`,
    [tool, agreed ? '1' : '0'],
  );
  const { recent, suspended } = rows[0]!;
  return { precision: precisionOf(recent), suspended };
};

/** Gives a tool its semantic lane back, and begins to count anew; false when it had it. Rejects with a StorageError. */
export const restore = async (database: Database, tool: string): Promise<boolean> => {
  const { count } = await database.query(
    `UPDATE cache_tools SET suspended = false, recent = '' WHERE tool_name = $1 AND suspended`,
    [tool],
  );
  return count > 0;
};
