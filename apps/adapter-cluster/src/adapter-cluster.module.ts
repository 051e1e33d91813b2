import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { AdapterClusterConfig } from './config.js';

export { readConfig, settings } from './config.js';
export type { AdapterClusterConfig } from './config.js';

@Module({})
export class AdapterClusterModule {
  static async on(bus: Bus, config: AdapterClusterConfig, log: Log): Promise<DynamicModule> {
    // With it comes a YAML parser, which a process that only reads these settings does without.
    const { ClusterDomain } = await import('./cluster-domain.js');
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
