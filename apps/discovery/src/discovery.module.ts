import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import { type Log, Metrics } from '@portico/observe';
import { openDocuments, openSharedState } from '@portico/storage';
import type { DiscoveryConfig } from './config.js';
import { Discovery } from './discovery.js';
import type { DiscoveryStores } from './discovery.js';

export { readConfig, settings } from './config.js';
export type { DiscoveryConfig } from './config.js';

@Module({})
export class DiscoveryModule {
  static on(bus: Bus, config: DiscoveryConfig, stores: DiscoveryStores, log: Log): DynamicModule {
    return {
      module: DiscoveryModule,
      providers: [{ provide: Discovery, useFactory: () => new Discovery(bus, config, stores, log) }],
    };
  }
}

/** Answers `discovery.*` on a bus. Rejects with one sentence for the address of a store that is none. */
export async function startDiscovery(
  bus: Bus,
  config: DiscoveryConfig,
  log: Log,
  metrics = new Metrics(),
): Promise<{ close(): Promise<void> }> {
  const documents = await openDocuments({ databaseUrl: config.databaseUrl, home: config.home, log });
  // Within one process its own single flight is enough.
  const shared = config.redisUrl === 'memory:' ? undefined : await openSharedState(config.redisUrl, { log });
  const context = await NestFactory.createApplicationContext(
    DiscoveryModule.on(bus, config, { documents, shared }, log),
    { logger: false, abortOnError: false },
  );
  const discovery = context.get(Discovery);
  metrics.gauge(
    { name: 'discovery_sources', help: 'Sources of tools that are known, by state.', labels: ['state'] },
    () => discovery.states().map((state) => [{ state }, 1] as const),
  );
  return { close: () => context.close() };
}
