import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import { ClusterDomain } from './cluster-domain.js';
import type { AdapterClusterConfig } from './config.js';

export { readConfig, settings } from './config.js';
export type { AdapterClusterConfig } from './config.js';

@Module({})
export class AdapterClusterModule {
  static on(bus: Bus, config: AdapterClusterConfig, log: Log): DynamicModule {
    return {
      module: AdapterClusterModule,
      providers: [{ provide: ClusterDomain, useFactory: () => new ClusterDomain(bus, config, log) }],
    };
  }
}

/** Serves `cluster.*` on a bus. The Kubernetes MCP server need not be there yet. */
export async function startAdapterCluster(
  bus: Bus,
  config: AdapterClusterConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(AdapterClusterModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
