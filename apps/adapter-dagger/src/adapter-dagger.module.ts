import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { AdapterDaggerConfig } from './config.js';
import { DaggerDomain } from './dagger-domain.js';

export { readConfig, settings } from './config.js';
export type { AdapterDaggerConfig } from './config.js';

@Module({})
export class AdapterDaggerModule {
  static on(bus: Bus, config: AdapterDaggerConfig, log: Log): DynamicModule {
    return {
      module: AdapterDaggerModule,
      providers: [{ provide: DaggerDomain, useFactory: () => new DaggerDomain(bus, config, log) }],
    };
  }
}

/** Serves `dagger.*` on a bus. The dispatcher need not be there yet. */
export async function startAdapterDagger(
  bus: Bus,
  config: AdapterDaggerConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(AdapterDaggerModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
