/** Where a domain writes what only its operator should read; the service's own log fits. */
export interface SourceLog {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}
