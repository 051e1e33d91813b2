import { type Environment, readSettings, setting } from '@portico/settings';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';
import { telemetrySettings } from './observe-settings.js';
import type { Otlp } from './otlp.js';
import { runLast } from './run-service.js';
import { traceBy } from './tracing.js';

/** A collector that takes no more does not hold up a stop for longer. */
const CLOSE_LIMIT_MS = 2_000;

/** Of the standard settings those that the SDK's packages leave to whoever puts them together; the others they read themselves. */
const ours = {
  ...telemetrySettings,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting.url({ meaning: 'where traces go' }),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: setting.url({ meaning: 'where metrics go' }),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting.text({ default: 'http/json', meaning: 'how they are written' }),
  OTEL_SDK_DISABLED: setting.flag({ default: false, meaning: 'true: nothing is sent' }),
  OTEL_TRACES_EXPORTER: setting.text({ default: 'otlp', meaning: 'none: no traces' }),
  OTEL_METRICS_EXPORTER: setting.text({ default: 'otlp', meaning: 'none: no metrics' }),
  OTEL_METRIC_EXPORT_INTERVAL: setting.integer({ default: 60_000, min: 100, meaning: 'milliseconds' }),
  OTEL_METRIC_EXPORT_TIMEOUT: setting.integer({ default: 30_000, min: 100, meaning: 'milliseconds' }),
};

let open: Otlp | undefined;

/**
 * Sends what this process traces and counts by OTLP/HTTP, from now to `closeTelemetry`,
 * which `runService` sees to at the end, where an OTEL_EXPORTER_OTLP_ENDPOINT says
 * where to; without one nothing is even loaded. A collector that does not answer is logged once and holds up nobody. Throws a
 * SettingError for a setting that can not be used.
 */
export async function openTelemetry(service: string, env: Environment, log: Log, metrics: Metrics): Promise<void> {
  const read = readSettings(ours, env);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: both } = read;
  const wants = (endpoint: string | undefined, exporter: string): boolean =>
    !read.OTEL_SDK_DISABLED && (endpoint ?? both) !== undefined && exporter !== 'none';
  const traces = wants(read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, read.OTEL_TRACES_EXPORTER);
  const counts = wants(read.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, read.OTEL_METRICS_EXPORTER);
  if (open !== undefined || (!traces && !counts)) return;
  if (read.OTEL_EXPORTER_OTLP_PROTOCOL !== 'http/json') log.warn('telemetry.always-http-json');
  for (const [name, value] of Object.entries(env)) {
    // The SDK looks for its settings nowhere else, and these may have come from a .env file.
    // eslint-disable-next-line no-restricted-syntax
    if (name.startsWith('OTEL_')) process.env[name] = value;
  }
  const { Otlp } = await import('./otlp.js');
  open = new Otlp(service, log);
  runLast(closeTelemetry);
  if (traces) traceBy(open.traces());
  if (counts) {
    const everyMs = read.OTEL_METRIC_EXPORT_INTERVAL;
    open.metrics(metrics, everyMs, Math.min(everyMs, read.OTEL_METRIC_EXPORT_TIMEOUT));
  }
}

/** Sends what has been gathered, which takes 2 s at most. Idempotent; nothing to do where nothing is open. */
export async function closeTelemetry(): Promise<void> {
  const closing = open;
  if (closing === undefined) return;
  open = undefined;
  traceBy(undefined);
  let late: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (late = setTimeout(resolve, CLOSE_LIMIT_MS)));
  await Promise.race([closing.close(), limit]);
  clearTimeout(late);
}
