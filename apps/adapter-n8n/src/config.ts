import { addressProblem, callTimeoutSettings, domainCallTimeoutMs } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { SettingError, readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  N8N_URL: setting.url({ meaning: 'the n8n whose exposed workflows are published as n8n.*' }),
  N8N_WEBHOOK_URL: setting.url({ shownDefault: 'N8N_URL', meaning: 'where its production webhooks are called' }),
  N8N_API_KEY: setting.secret({ meaning: 'a key of its public API' }),
  N8N_EXPOSURE_TAG: setting.text({ default: 'mcp', meaning: 'the tag by which a person exposes a workflow' }),
  ...callTimeoutSettings,
  ...opsSettings,
  ...logSettings,
};

/** n8n asks for several tags by a comma between them, and has none longer than 24 characters. */
const TAG = /^[^\p{Cc},]{1,24}$/u;

/** What the n8n adapter needs to know, read once. Undefined when there is no N8N_URL. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  if (read.N8N_URL === undefined) return undefined;
  const addresses = { N8N_URL: read.N8N_URL, N8N_WEBHOOK_URL: read.N8N_WEBHOOK_URL ?? read.N8N_URL };
  for (const [name, address] of Object.entries(addresses)) {
    const problem = addressProblem(address);
    if (problem !== undefined) throw new SettingError(name, `${name} cannot be used: ${problem}.`);
  }
  if (!TAG.test(read.N8N_EXPOSURE_TAG))
    throw new SettingError('N8N_EXPOSURE_TAG', 'N8N_EXPOSURE_TAG takes 1 to 24 characters without a comma.');
  return {
    busUrl: read.BUS_URL,
    url: addresses.N8N_URL,
    webhookUrl: addresses.N8N_WEBHOOK_URL,
    apiKey: read.N8N_API_KEY,
    exposureTag: read.N8N_EXPOSURE_TAG,
    callTimeoutMs: domainCallTimeoutMs(read.CALL_TIMEOUT_SECS),
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}
export type AdapterN8nConfig = NonNullable<ReturnType<typeof readConfig>>;
