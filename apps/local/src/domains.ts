import * as cluster from '@portico/adapter-cluster';
import * as dagger from '@portico/adapter-dagger';
import * as github from '@portico/adapter-github';
import * as n8n from '@portico/adapter-n8n';
import * as plane from '@portico/adapter-plane';
import * as slack from '@portico/adapter-slack';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { Environment, SettingsTable } from '@portico/settings';
import * as slackBridge from '@portico/slack-bridge';

interface ServedDomain {
  close(): Promise<void>;
}

/** A domain of ours, or the bridge of one, that is there only when it is configured. */
interface OptionalDomain {
  readonly name: string;
  readonly settings: SettingsTable;
  /** How to start it, by what the environment says; undefined when it says nothing. Throws a SettingError. */
  configured(env: Environment): ((bus: Bus, log: Log) => Promise<ServedDomain>) | undefined;
}

const optional = <Config>(
  name: string,
  settings: SettingsTable,
  readConfig: (env: Environment) => Config | undefined,
  start: (bus: Bus, config: Config, log: Log) => Promise<ServedDomain>,
): OptionalDomain => ({
  name,
  settings,
  configured(env) {
    const config = readConfig(env);
    return config === undefined ? undefined : (bus, log) => start(bus, config, log);
  },
});

/** In the order of the settings' table. */
export const DOMAINS: readonly OptionalDomain[] = [
  optional('adapter-cluster', cluster.settings, cluster.readConfig, cluster.startAdapterCluster),
  optional('adapter-dagger', dagger.settings, dagger.readConfig, dagger.startAdapterDagger),
  optional('adapter-plane', plane.settings, plane.readConfig, plane.startAdapterPlane),
  optional('adapter-n8n', n8n.settings, n8n.readConfig, n8n.startAdapterN8n),
  optional('slack-bridge', slackBridge.settings, slackBridge.readConfig, slackBridge.startSlackBridge),
  optional('adapter-slack', slack.settings, slack.readConfig, slack.startAdapterSlack),
  optional('adapter-github', github.settings, github.readConfig, github.startAdapterGithub),
];

/** Those that the environment configures, read before anything is started. */
export const configuredDomains = (env: Environment) =>
  DOMAINS.flatMap(({ name, configured }) => {
    const start = configured(env);
    return start === undefined ? [] : [{ name, start }];
  });
