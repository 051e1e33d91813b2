import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { UpstreamsConfig } from './config.js';
import { Upstreams } from './upstreams.js';

export { readConfig, settings } from './config.js';
export type { UpstreamsConfig } from './config.js';
export { ServersFileError } from './servers-file.js';

@Module({})
export class UpstreamsModule {
  static on(bus: Bus, config: UpstreamsConfig, log: Log): DynamicModule {
    return {
      module: UpstreamsModule,
      providers: [{ provide: Upstreams, useFactory: () => new Upstreams(bus, config, log) }],
    };
  }
}

/** Serves the configured MCP servers on a bus. Throws a ServersFileError when their file can not be used. */
export async function startUpstreams(bus: Bus, config: UpstreamsConfig, log: Log): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(UpstreamsModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
