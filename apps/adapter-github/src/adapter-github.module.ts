import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { AdapterGithubConfig } from './config.js';
import { GithubDomain } from './github-domain.js';

export { readConfig, settings } from './config.js';
export type { AdapterGithubConfig } from './config.js';

@Module({})
export class AdapterGithubModule {
  static on(bus: Bus, config: AdapterGithubConfig, log: Log): DynamicModule {
    return {
      module: AdapterGithubModule,
      providers: [{ provide: GithubDomain, useFactory: () => new GithubDomain(bus, config, log) }],
    };
  }
}

/** Serves `github.*` on a bus. GitHub need not be there yet. */
export async function startAdapterGithub(
  bus: Bus,
  config: AdapterGithubConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(AdapterGithubModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
