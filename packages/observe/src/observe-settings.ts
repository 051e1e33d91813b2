import { setting } from '@portico/settings';
import { LOG_FORMATS, LOG_LEVELS } from './log.js';

/** How every service logs. */
export const logSettings = {
  LOG_LEVEL: setting.oneOf(LOG_LEVELS, { default: 'info', meaning: 'the least that is logged' }),
  LOG_FORMAT: setting.oneOf(LOG_FORMATS, {
    shownDefault: 'pretty on a terminal else json',
    meaning: 'how a log line is written; one line an event',
  }),
};

/** Where every service but the front door answers its operators. */
export const opsSettings = {
  OPS_HOST: setting.text({ default: '127.0.0.1', meaning: 'where /healthz, /readyz and /metrics listen' }),
  OPS_PORT: setting.port({
    shownDefault: 'given by start:services',
    meaning: 'their port; without it a service opens none; 0 picks one',
  }),
};

/** Where telemetry goes; the standard's other settings are read by whoever sends it. */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting.url({
    meaning: 'where traces and metrics go by OTLP/HTTP; with it the other standard OTEL_* settings count',
  }),
};
