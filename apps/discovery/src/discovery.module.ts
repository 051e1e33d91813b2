import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { DiscoveryConfig } from './config.js';
import { Discovery } from './discovery.js';

export { readConfig, settings } from './config.js';
export type { DiscoveryConfig } from './config.js';

@Module({})
export class DiscoveryModule {
  static on(bus: Bus, config: DiscoveryConfig, log: Log): DynamicModule {
    return {
      module: DiscoveryModule,
      providers: [{ provide: Discovery, useFactory: () => new Discovery(bus, config, log) }],
    };
  }
}

/** Answers `discovery.*` on a bus. */
export async function startDiscovery(bus: Bus, config: DiscoveryConfig, log: Log): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(DiscoveryModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
