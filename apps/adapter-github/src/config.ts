import { addressProblem, callTimeoutSettings, domainCallTimeoutMs } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { SettingError, readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  GITHUB_REPOSITORIES: setting.list({
    default: [],
    meaning: 'the repositories that github.* may read, each owner/name; no other is',
  }),
  GITHUB_API_URL: setting.url({ default: 'https://api.github.com', meaning: 'the API of GitHub that they are on' }),
  GITHUB_TOKEN: setting.secret({ meaning: 'a token that may read them; without one, what everybody may read' }),
  ...callTimeoutSettings,
  ...opsSettings,
  ...logSettings,
};

const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/** What the GitHub adapter needs to know, read once. Undefined when GITHUB_REPOSITORIES names none. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  const repositories = read.GITHUB_REPOSITORIES;
  if (repositories.length === 0) return undefined;
  const wrong = repositories.find((name) => !REPOSITORY.test(name));
  if (wrong !== undefined) {
    const got = JSON.stringify(wrong.slice(0, 100));
    throw new SettingError(
      'GITHUB_REPOSITORIES',
      `GITHUB_REPOSITORIES has ${got} in it, but takes names like owner/name.`,
    );
  }
  const problem = addressProblem(read.GITHUB_API_URL);
  if (problem !== undefined) throw new SettingError('GITHUB_API_URL', `GITHUB_API_URL cannot be used: ${problem}.`);
  return {
    busUrl: read.BUS_URL,
    repositories,
    apiUrl: read.GITHUB_API_URL,
    token: read.GITHUB_TOKEN,
    callTimeoutMs: domainCallTimeoutMs(read.CALL_TIMEOUT_SECS),
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}
export type AdapterGithubConfig = NonNullable<ReturnType<typeof readConfig>>;
