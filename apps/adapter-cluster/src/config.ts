import { addressProblem, callTimeoutSettings, domainCallTimeoutMs } from '@portico/domain-kit';
import { logSettings, opsSettings } from '@portico/observe';
import { SettingError, readSettings, setting } from '@portico/settings';
import type { Environment } from '@portico/settings';
import type { ServerTarget } from '@portico/mcp-session';
import { splitCommand } from './command-line.js';
import { parseRule } from './deny-rule.js';

export const settings = {
  BUS_URL: setting.text({ default: 'memory:', orFile: true, meaning: 'the bus between services' }),
  CLUSTER_MCP_URL: setting.url({ meaning: 'a Kubernetes MCP server to publish as cluster.*, over Streamable HTTP' }),
  CLUSTER_MCP_COMMAND: setting.text({ meaning: 'instead of CLUSTER_MCP_URL: a command that runs one over stdio' }),
  CLUSTER_READ_ONLY: setting.flag({ default: false, meaning: 'true: only tools that read are published' }),
  CLUSTER_DENY: setting.list({
    default: [],
    meaning: 'more that may not be done, such as `nodes_log,helm_*,resources_*:ConfigMap`',
  }),
  CLUSTER_ALLOW: setting.list({
    default: [],
    meaning: 'lifts from what is denied by default: `configuration_view,resources_*:Secret,pods_exec,pods_run`',
  }),
  ...callTimeoutSettings,
  ...opsSettings,
  ...logSettings,
};

/** What a command of the operator's gets of our environment: where things are, and how a cluster is found. No secret. */
const HANDED_ON = [
  'HOME',
  'HTTPS_PROXY',
  'KUBECONFIG',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'LANG',
  'NO_PROXY',
  'PATH',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TMPDIR',
];

/** What the cluster adapter needs to know, read once. Undefined when no Kubernetes MCP server is configured. */
export function readConfig(env: Environment) {
  const read = readSettings(settings, env);
  const target = targetOf(read.CLUSTER_MCP_URL, read.CLUSTER_MCP_COMMAND, env);
  if (!target) return undefined;
  for (const name of ['CLUSTER_DENY', 'CLUSTER_ALLOW'] as const) checkRules(name, read[name]);
  return {
    target,
    busUrl: read.BUS_URL,
    readOnly: read.CLUSTER_READ_ONLY,
    deny: read.CLUSTER_DENY,
    allow: read.CLUSTER_ALLOW,
    callTimeoutMs: domainCallTimeoutMs(read.CALL_TIMEOUT_SECS),
    ops: { host: read.OPS_HOST, port: read.OPS_PORT },
    log: { level: read.LOG_LEVEL, format: read.LOG_FORMAT },
  };
}
export type AdapterClusterConfig = NonNullable<ReturnType<typeof readConfig>>;

function targetOf(url: string | undefined, command: string | undefined, env: Environment): ServerTarget | undefined {
  if (url !== undefined && command !== undefined) {
    throw new SettingError(
      'CLUSTER_MCP_URL',
      'CLUSTER_MCP_URL and CLUSTER_MCP_COMMAND are both set: set the one that is meant.',
    );
  }
  if (url !== undefined) {
    const problem = addressProblem(url);
    if (problem !== undefined) throw new SettingError('CLUSTER_MCP_URL', `CLUSTER_MCP_URL cannot be used: ${problem}.`);
    return { transport: 'http', url, headers: {} };
  }
  if (command === undefined) return undefined;
  const [program, ...args] = words(command);
  if (program === undefined) throw new SettingError('CLUSTER_MCP_COMMAND', 'CLUSTER_MCP_COMMAND names no program.');
  const handedOn = HANDED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { transport: 'stdio', command: program, args, env: Object.fromEntries(handedOn) };
}

function words(command: string): string[] {
  try {
    return splitCommand(command);
  } catch (error) {
    throw new SettingError('CLUSTER_MCP_COMMAND', `CLUSTER_MCP_COMMAND cannot be read: ${(error as Error).message}.`);
  }
}

function checkRules(name: 'CLUSTER_DENY' | 'CLUSTER_ALLOW', rules: readonly string[]): void {
  try {
    rules.forEach(parseRule);
  } catch (error) {
    throw new SettingError(name, `${name} cannot be used: ${(error as Error).message}.`);
  }
}
