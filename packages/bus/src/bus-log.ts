/** Where a bus writes what nobody can be told; `Log` of `@portico/observe` is one. */
export interface BusLog {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

/** For a bus made without a log: what went wrong goes to stderr, a line each; the rest nowhere. */
export const stderrLog: BusLog = {
  info: () => {},
  warn: () => {},
  error: (event, fields = {}) => {
    const shown = Object.entries(fields).map(
      ([key, value]) => `${key}=${value instanceof Error ? value.stack : String(value)}`,
    );
    process.stderr.write(`${[event, ...shown].join(' ')}\n`);
  },
};
