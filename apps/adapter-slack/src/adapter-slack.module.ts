import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { AdapterSlackConfig } from './config.js';
import { SlackDomain } from './slack-domain.js';

export { readConfig, settings } from './config.js';
export type { AdapterSlackConfig } from './config.js';

@Module({})
export class AdapterSlackModule {
  static on(bus: Bus, { callTimeoutMs }: AdapterSlackConfig, log: Log): DynamicModule {
    return {
      module: AdapterSlackModule,
      providers: [{ provide: SlackDomain, useFactory: () => new SlackDomain(bus, callTimeoutMs, log) }],
    };
  }
}

/** Serves `slack.*` on a bus. The bridge need not be there yet. */
export async function startAdapterSlack(
  bus: Bus,
  config: AdapterSlackConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(AdapterSlackModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
