import { logSettings } from '@portico/observe';
import { type Environment, readSettings } from '@portico/settings';

/** How the one process logs, for all services in it. */
export function readLogConfig(env: Environment) {
  const { LOG_LEVEL, LOG_FORMAT } = readSettings(logSettings, env);
  return { level: LOG_LEVEL, format: LOG_FORMAT };
}
