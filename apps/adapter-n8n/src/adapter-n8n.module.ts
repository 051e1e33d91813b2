import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { AdapterN8nConfig } from './config.js';
import { N8nDomain } from './n8n-domain.js';

export { readConfig, settings } from './config.js';
export type { AdapterN8nConfig } from './config.js';

@Module({})
export class AdapterN8nModule {
  static on(bus: Bus, config: AdapterN8nConfig, log: Log): DynamicModule {
    return {
      module: AdapterN8nModule,
      providers: [{ provide: N8nDomain, useFactory: () => new N8nDomain(bus, config, log) }],
    };
  }
}

/** Serves `n8n.*` on a bus. n8n need not be there yet. */
export async function startAdapterN8n(
  bus: Bus,
  config: AdapterN8nConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(AdapterN8nModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
