import { destination, pino, stdTimeFunctions, type Logger } from 'pino';
import { prettyLine } from './pretty-line.js';
import { redact } from './redact.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_FORMATS = ['pretty', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** Where a service writes what happened: one line an event. `event` is a fixed phrase; what varies goes in `fields`. */
export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /**
   * One info line for each record, all written at once: for what is written at the rate of calls. Nothing is taken out of a
   * record: its fields must be known to hold no secret.
   */
  records(event: string, records: readonly Fields[]): void;
  /** A log that adds these fields to each of its lines. */
  child(fields: Fields): Log;
}

export interface LogOptions {
  readonly level?: LogLevel;
  /** Pretty on a terminal, JSON elsewhere, unless it is given. */
  readonly format?: LogFormat | undefined;
  /** The service. */
  readonly name: string;
  /** Instead of standard output: gets each line, its newline included. */
  readonly write?: (line: string) => void;
}

/** A log of one service. Secrets are taken out by the names of their fields; errors are written with their causes. */
export function createLog({ level = 'info', format, name, write }: LogOptions): Log {
  const terminal = write === undefined && process.stdout.isTTY;
  const out = write === undefined ? standardOutput() : { write };
  const pretty = format === undefined ? terminal : format === 'pretty';
  const stream = pretty ? { write: (line: string) => void out.write(prettyLine(line, terminal)) } : out;
  const options = {
    level,
    base: { name },
    messageKey: 'event',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return over(
    pino(options, stream),
    pretty ? undefined : (lines) => (write === undefined ? void out.write(lines.join('')) : lines.forEach(write)),
  );
}

/** A reader that has gone costs its lines, not the process. */
const standardOutput = () => destination({ fd: 1, sync: true }).on('error', () => undefined);

/** `raw` takes lines of JSON that are ready; undefined where lines are made for people. */
const over = (logger: Logger, raw: ((lines: string[]) => void) | undefined): Log => {
  const bindings = JSON.stringify(logger.bindings()).slice(1, -1);
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: Fields) => {
    if (!logger.isLevelEnabled(level)) return;
    logger[level](redact(fields ?? {}), event);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    records(event, records) {
      if (!logger.isLevelEnabled('info')) return;
      if (raw === undefined) {
        for (const record of records) logger.info(record, event);
        return;
      }
      const before = `{"level":"info"${stdTimeFunctions.isoTime()},${bindings}`;
      const after = `,"event":${JSON.stringify(event)}}\n`;
      raw(records.map((record) => `${before},${JSON.stringify(record).slice(1, -1)}${after}`));
    },
    child: (fields) => over(logger.child(redact(fields) as Record<string, unknown>), raw),
  };
};
