/** Where a store writes what nobody can be told; `Log` of `@portico/observe` is one. */
export interface StorageLog {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

const toStderr = (event: string, fields: Record<string, unknown> = {}): void => {
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${String(value)}`);
  process.stderr.write(`${[event, ...shown].join(' ')}\n`);
};

/** For a store opened without a log: what went wrong goes to stderr, a line each; the rest nowhere. */
export const stderrLog: StorageLog = { info: () => {}, warn: toStderr, error: toStderr };
