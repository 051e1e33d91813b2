import 'reflect-metadata';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import { discoveryHealth } from '@portico/contracts';
import { type Log, Metrics, Readiness } from '@portico/observe';
import { adminApi } from './admin/admin-api.js';
import { AdminListener } from './admin/admin-listener.js';
import { loadAdminToken } from './admin/admin-token.js';
import { protectedResourceMetadata } from './auth/protected-resource.js';
import { CallMetrics } from './call-metrics.js';
import { ResponseCache } from './cache/response-cache.js';
import { CatalogueMemory } from './catalogue-memory.js';
import { ChangeFeed } from './change-feed.js';
import type { FrontDoorConfig } from './config.js';
import { Gatekeepers } from './gatekeepers.js';
import { HttpGuards } from './http-guards.js';
import { HttpListener } from './http-listener.js';
import { KeepAlive } from './keep-alive.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { RunningCalls } from './running-calls.js';
import { SdkServer } from './sdk-server.js';
import { SessionIds } from './session-id.js';
import { loadSigningKey } from './signing-key.js';
import { StaleFeed } from './state-sync/stale-feed.js';
import { Subscriptions } from './state-sync/subscriptions.js';
import { UnreadSubscriptions } from './unread-subscriptions.js';

export { readConfig, settings } from './config.js';
export type { FrontDoorConfig } from './config.js';

/** The wiring of the front door: what each part is made of, and in which order they open and close. */
@Module({})
export class FrontDoorModule {
  static on(bus: Bus, config: FrontDoorConfig, log: Log, startedAt: number, metrics: Metrics): DynamicModule {
    const readiness = new Readiness();
    return {
      module: FrontDoorModule,
      providers: [
        { provide: Gatekeepers, useFactory: () => Gatekeepers.open(bus, config, log) },
        { provide: Metrics, useValue: metrics },
        {
          provide: ResponseCache,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => ResponseCache.open(bus, config.cache, metrics, log),
        },
        { provide: KeepAlive, useFactory: () => new KeepAlive() },
        { provide: RunningCalls, useFactory: () => new RunningCalls() },
        { provide: UnreadSubscriptions, useFactory: () => new UnreadSubscriptions() },
        {
          provide: Subscriptions,
          inject: [KeepAlive, UnreadSubscriptions],
          useFactory: (keepAlive: KeepAlive, unread: UnreadSubscriptions) =>
            new Subscriptions(config.subscriptions, keepAlive, unread),
        },
        {
          provide: CatalogueMemory,
          inject: [Gatekeepers, ResponseCache],
          useFactory: ({ parts: { policy, receipts } }: Gatekeepers, cache: ResponseCache) =>
            new CatalogueMemory(bus, {
              toolNames: config.toolNames,
              contextInSchemas: config.contextInSchemas,
              manifest: config.manifest,
              policy,
              receipts: (tenant) => receipts.newest(tenant),
              cacheStats: async (tenant) => ({ ...(await cache.statsOf(tenant)) }),
              startedAt,
              log,
              health: async () => (await bus.ask(discoveryHealth, {})).sources,
            }),
        },
        {
          provide: ChangeFeed,
          inject: [CatalogueMemory, Subscriptions, RunningCalls],
          useFactory: (memory: CatalogueMemory, subscriptions: Subscriptions, running: RunningCalls) =>
            new ChangeFeed(bus, memory, subscriptions, running),
        },
        {
          provide: StaleFeed,
          inject: [CatalogueMemory, Subscriptions],
          useFactory: (memory: CatalogueMemory, subscriptions: Subscriptions) =>
            new StaleFeed(bus, memory, subscriptions, log),
        },
        {
          provide: McpEndpoint,
          inject: [CatalogueMemory, Gatekeepers, ResponseCache, Subscriptions, RunningCalls, KeepAlive],
          useFactory: (
            catalogue: CatalogueMemory,
            { parts: { authenticator, standing, admission, policy, bulkhead, breakers, receipts } }: Gatekeepers,
            cache: ResponseCache,
            subscriptions: Subscriptions,
            running: RunningCalls,
            keepAlive: KeepAlive,
          ) =>
            new McpEndpoint({
              door: {
                bus,
                catalogue,
                policy,
                cache,
                bulkhead,
                breakers,
                receipts,
                metrics: new CallMetrics(metrics),
                log,
                resultLimitBytes: config.resultLimitBytes,
                listTtlMs: config.listTtlMs,
              },
              guards: new HttpGuards(config),
              authenticator,
              standing,
              admission,
              sdk: new SdkServer(log),
              subscriptions,
              running,
              sessions: new SessionIds(loadSigningKey(config.signingKeyFile)),
              keepAlive,
              bodyLimitBytes: config.bodyLimitBytes,
            }),
        },
        {
          provide: HttpListener,
          inject: [McpEndpoint, CatalogueMemory, Subscriptions],
          useFactory: (endpoint: McpEndpoint, memory: CatalogueMemory, subscriptions: Subscriptions) =>
            new HttpListener(
              {
                host: config.host,
                port: config.port,
                log,
                readiness,
                metadata: protectedResourceMetadata(config.auth),
              },
              endpoint,
              memory,
              subscriptions,
            ),
        },
        {
          provide: AdminListener,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => {
            const token = loadAdminToken(config.adminTokenFile);
            const api = adminApi({ bus, host: config.admin.host, token, bodyLimitBytes: config.bodyLimitBytes, log });
            return new AdminListener(config.admin, readiness, metrics, api);
          },
        },
      ],
    };
  }
}

export interface RunningFrontDoor {
  /** Where agents connect: `<url>/mcp`. */
  readonly url: string;
  readonly adminUrl: string;
  /** Takes no new connection, answers what runs and what still comes on open ones, and ends within 10 s. */
  close(): Promise<void>;
}

/**
 * Opens the front door on a bus. Rejects with one sentence when an address can not be listened on. `startedAt` is when its
 * process began, by `performance.now()`: 0 where it is a process of its own.
 */
export async function startFrontDoor(
  bus: Bus,
  config: FrontDoorConfig,
  log: Log,
  startedAt = performance.now(),
  metrics = new Metrics(),
): Promise<RunningFrontDoor> {
  const app = await NestFactory.createApplicationContext(FrontDoorModule.on(bus, config, log, startedAt, metrics), {
    logger: false,
    abortOnError: false,
  });
  return { url: app.get(HttpListener).url, adminUrl: app.get(AdminListener).url, close: () => app.close() };
}
