import { type Bus, connectBus } from '@portico/bus';
import { startDiscovery, readConfig as readDiscoveryConfig, settings as discoverySettings } from '@portico/discovery';
import {
  type RunningFrontDoor,
  readConfig as readFrontDoorConfig,
  settings as frontDoorSettings,
  startFrontDoor,
} from '@portico/front-door';
import { type Log, Metrics, closeTelemetry, openTelemetry, telemetrySettings } from '@portico/observe';
import { type Environment, type SettingsTable } from '@portico/settings';
import { readConfig as readCacheConfig, settings as cacheSettings, startSemanticCache } from '@portico/semantic-cache';
import { startTaskRuntime, readConfig as readTaskConfig, settings as taskSettings } from '@portico/task-runtime';
import { DOMAINS, configuredDomains } from './domains.js';
import { startUpstreams, readConfig as readUpstreamsConfig, settings as upstreamsSettings } from '@portico/upstreams';

/** Every setting there is, as the apps declare them. */
export const settingsTables: readonly SettingsTable[] = [
  frontDoorSettings,
  upstreamsSettings,
  discoverySettings,
  taskSettings,
  cacheSettings,
  ...DOMAINS.map(({ settings }) => settings),
  telemetrySettings,
];

export interface RunningPortico {
  readonly url: string;
  readonly authMode: ReturnType<typeof readFrontDoorConfig>['auth']['mode'];
  readonly adminUrl: string;
  /** Where what `/api` asks for is kept. */
  readonly adminTokenFile: string;
  readonly bus: Bus;
  close(): Promise<void>;
}

/**
 * Starts every service that is configured, in this process, on the bus that BUS_URL names (in process unless set).
 * The front door opens last, so that whoever is first to list finds all sources announced. No source is asked here.
 */
export async function startPortico(env: Environment, log: Log, startedAt = performance.now()): Promise<RunningPortico> {
  const config = readFrontDoorConfig(env);
  const upstreams = readUpstreamsConfig(env);
  const discovery = readDiscoveryConfig(env);
  const task = readTaskConfig(env);
  const cache = readCacheConfig(env);
  const domains = configuredDomains(env);
  const metrics = new Metrics();
  await openTelemetry('portico', env, log, metrics);
  const bus = await connectBus({ url: config.busUrl, name: 'portico', log: log.child({ service: 'bus' }), metrics });
  const running: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const service of running.reverse()) await service.close();
    await bus.close();
    await closeTelemetry();
  };
  try {
    running.push(await startDiscovery(bus, discovery, log.child({ service: 'discovery' }), metrics));
    running.push(await startUpstreams(bus, upstreams, log.child({ service: 'upstreams' })));
    running.push(await startTaskRuntime(bus, task, log.child({ service: 'task-runtime' })));
    running.push(await startSemanticCache(bus, cache, log.child({ service: 'semantic-cache' }), metrics));
    for (const { name, start } of domains) running.push(await start(bus, log.child({ service: name })));
    const door: RunningFrontDoor = await startFrontDoor(
      bus,
      config,
      log.child({ service: 'front-door' }),
      startedAt,
      metrics,
    );
    running.push(door);
    const { auth, adminTokenFile } = config;
    return { url: door.url, authMode: auth.mode, adminUrl: door.adminUrl, adminTokenFile, bus, close };
  } catch (error) {
    await close();
    throw error;
  }
}
