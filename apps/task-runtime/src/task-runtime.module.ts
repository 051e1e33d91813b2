import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import { openRedis } from '@portico/storage';
import type { TaskRuntimeConfig } from './config.js';
import type { LeaseStore } from './lease-store.js';
import { MemoryLeaseStore } from './memory-lease-store.js';
import { hearOtherKeepers } from './other-keepers.js';
import { RedisLeaseStore } from './redis-lease-store.js';
import { TaskDomain } from './task-domain.js';

export { readConfig, settings } from './config.js';
export type { TaskRuntimeConfig } from './config.js';

interface Serving {
  readonly instance: string;
  /** Milliseconds. */
  readonly callTimeoutMs: number;
}

@Module({})
export class TaskRuntimeModule {
  static on(bus: Bus, leases: LeaseStore, log: Log, serving: Serving): DynamicModule {
    return {
      module: TaskRuntimeModule,
      providers: [{ provide: TaskDomain, useFactory: () => new TaskDomain(bus, leases, log, serving) }],
    };
  }
}

/** Serves `task.*` and the guard of leases on a bus. Rejects with one sentence for a REDIS_URL that is none. */
export async function startTaskRuntime(
  bus: Bus,
  { redisUrl, callTimeoutMs }: TaskRuntimeConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const instance = randomUUID();
  const others = redisUrl === 'memory:' ? await hearOtherKeepers(bus, instance, log) : undefined;
  const leases = others ? new MemoryLeaseStore(others.heard) : new RedisLeaseStore(await openRedis(redisUrl, { log }));
  const context = await NestFactory.createApplicationContext(
    TaskRuntimeModule.on(bus, leases, log, { instance, callTimeoutMs }),
    {
      logger: false,
      abortOnError: false,
    },
  );
  return {
    async close() {
      await context.close();
      await others?.close();
    },
  };
}
