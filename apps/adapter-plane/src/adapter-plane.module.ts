import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { AdapterPlaneConfig } from './config.js';
import { PlaneDomain } from './plane-domain.js';

export { readConfig, settings } from './config.js';
export type { AdapterPlaneConfig } from './config.js';

@Module({})
export class AdapterPlaneModule {
  static on(bus: Bus, config: AdapterPlaneConfig, log: Log): DynamicModule {
    return {
      module: AdapterPlaneModule,
      providers: [{ provide: PlaneDomain, useFactory: () => new PlaneDomain(bus, config, log) }],
    };
  }
}

/** Serves `plane.*` on a bus. Neither Plane nor git need be there yet. */
export async function startAdapterPlane(
  bus: Bus,
  config: AdapterPlaneConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(AdapterPlaneModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
