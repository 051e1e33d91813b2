import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import { Metrics } from '@portico/observe';
import { mayHoldEntries } from './config.js';
import type { SemanticCacheConfig } from './config.js';
import { SemanticCache } from './semantic-cache.js';
import type { SemanticCacheParts } from './semantic-cache.js';
import { readingVerifier } from './verifier/verify.js';

export { readConfig, settings } from './config.js';
export type { SemanticCacheConfig } from './config.js';

@Module({})
export class SemanticCacheModule {
  static on(bus: Bus, parts: SemanticCacheParts, log: Log): DynamicModule {
    return {
      module: SemanticCacheModule,
      providers: [{ provide: SemanticCache, useFactory: () => new SemanticCache(bus, parts, log) }],
    };
  }
}

/** Answers `semantic-cache.*` on a bus, unless it is off. Database and model are opened when they are first needed. */
export async function startSemanticCache(
  bus: Bus,
  config: SemanticCacheConfig,
  log: Log,
  metrics = new Metrics(),
): Promise<{ close(): Promise<void> }> {
  if (!config.on) return { close: async () => {} };
  const { databaseUrl, tenantBytes, modelDir } = config;
  const openEmbedder = async () => {
    const embedding = await import('@portico/embedding');
    return embedding.openEmbedder({ log, ...(modelDir !== undefined && { modelDir }) });
  };
  const parts: SemanticCacheParts = {
    databaseUrl,
    tenantBytes,
    openEmbedder,
    verifier: readingVerifier,
    metrics,
    mayHoldEntries: () => mayHoldEntries(databaseUrl),
  };
  const context = await NestFactory.createApplicationContext(SemanticCacheModule.on(bus, parts, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
