import { addressProblem, callTimeoutSettings, domainCallTimeoutMs } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { SettingError, readSettings, setting } from '@portico/settings';
import type { Environment, SecretSource } from '@portico/settings';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  PLANE_URL: setting.url({ meaning: 'where the Plane API is, such as https://api.plane.so; with it there is plane.*' }),
  PLANE_WORKSPACE: setting.text({
    pattern: /^[A-Za-z0-9_-]{1,80}$/,
    takes: 'the slug of a workspace',
    meaning: 'the workspace, by the slug in its address',
  }),
  PLANE_TOKEN: setting.secret({ meaning: 'an API key of Plane' }),
  PLANE_WRITE_MODE: setting.oneOf(['git', 'dual', 'api'], {
    default: 'dual',
    meaning: 'where plane.* writes: to the declared file in git, to git and then to Plane, or to Plane alone',
  }),
  PLANE_GIT_REPOSITORY: setting.text({
    pattern: /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/,
    takes: 'owner/name',
    meaning: 'the repository of the declared files, owner/name; unless PLANE_WRITE_MODE=api',
  }),
  PLANE_GIT_API_URL: setting.url({ default: 'https://api.github.com', meaning: 'its GitHub API' }),
  PLANE_GIT_BRANCH: setting.text({
    default: 'plane',
    pattern: /^(?!.*(\.\.|\/\/|\/\.|\.lock(\/|$)))[A-Za-z0-9_]([A-Za-z0-9._/-]{0,198}[A-Za-z0-9_-])?$/,
    takes: 'the name of a branch',
    meaning: 'the branch that the declared files are on',
  }),
  PLANE_DECLARED_PATH: setting.text({
    default: '.plane/{project}.json',
    pattern: /^(?!.*(^|\/)\.{1,2}(\/|$))([A-Za-z0-9._{}-]+\/){0,8}[A-Za-z0-9._{}-]+$/,
    takes: 'a path inside the repository, of letters, digits and "._-", and {project}',
    meaning: 'the declared file of a project, in the repository',
  }),
  PLANE_GIT_TOKEN: setting.secret({ meaning: 'a token that may write the contents of that repository' }),
  ...callTimeoutSettings,
  ...opsSettings,
  ...logSettings,
};

export interface GitConfig {
  readonly apiUrl: string;
  readonly repository: readonly [owner: string, name: string];
  readonly branch: string;
  readonly path: string;
  readonly token: SecretSource | undefined;
}
export type WriteConfig = { readonly mode: 'api' } | { readonly mode: 'git' | 'dual'; readonly git: GitConfig };

/** What the Plane adapter needs to know, read once. Undefined when there is no PLANE_URL. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  if (read.PLANE_URL === undefined) return undefined;
  checkAddress('PLANE_URL', read.PLANE_URL);
  if (read.PLANE_WORKSPACE === undefined)
    throw new SettingError('PLANE_WORKSPACE', 'PLANE_WORKSPACE is not set: PLANE_URL needs the slug of a workspace.');
  return {
    busUrl: read.BUS_URL,
    url: read.PLANE_URL,
    workspace: read.PLANE_WORKSPACE,
    token: read.PLANE_TOKEN,
    writes: writesOf(read),
    callTimeoutMs: domainCallTimeoutMs(read.CALL_TIMEOUT_SECS),
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}
export type AdapterPlaneConfig = NonNullable<ReturnType<typeof readConfig>>;

function writesOf(read: ReturnType<typeof readSettings<typeof settings>>): WriteConfig {
  const mode = read.PLANE_WRITE_MODE;
  if (mode === 'api') return { mode };
  if (read.PLANE_GIT_REPOSITORY === undefined) {
    throw new SettingError(
      'PLANE_GIT_REPOSITORY',
      `PLANE_GIT_REPOSITORY is not set: with PLANE_WRITE_MODE=${mode} it says owner/name of the declared files; without git, set PLANE_WRITE_MODE=api.`,
    );
  }
  checkAddress('PLANE_GIT_API_URL', read.PLANE_GIT_API_URL);
  if (/[{}]/.test(read.PLANE_DECLARED_PATH.replaceAll('{project}', '')))
    throw new SettingError('PLANE_DECLARED_PATH', 'PLANE_DECLARED_PATH may have no braces but those of {project}.');
  const [owner = '', name = ''] = read.PLANE_GIT_REPOSITORY.split('/');
  return {
    mode,
    git: {
      apiUrl: read.PLANE_GIT_API_URL,
      repository: [owner, name],
      branch: read.PLANE_GIT_BRANCH,
      path: read.PLANE_DECLARED_PATH,
      token: read.PLANE_GIT_TOKEN,
    },
  };
}

function checkAddress(name: 'PLANE_URL' | 'PLANE_GIT_API_URL', url: string): void {
  const problem = addressProblem(url);
  if (problem !== undefined) throw new SettingError(name, `${name} cannot be used: ${problem}.`);
}
