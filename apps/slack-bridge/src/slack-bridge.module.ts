import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { SlackBridgeConfig } from './config.js';
import { SlackBridge } from './slack-bridge.js';

export { readConfig, settings } from './config.js';
export type { SlackBridgeConfig } from './config.js';

@Module({})
export class SlackBridgeModule {
  static on(bus: Bus, config: SlackBridgeConfig, log: Log): DynamicModule {
    return {
      module: SlackBridgeModule,
      providers: [{ provide: SlackBridge, useFactory: () => new SlackBridge(bus, config, log) }],
    };
  }
}

/** Answers for Slack on a bus. Slack need not be there yet. */
export async function startSlackBridge(
  bus: Bus,
  config: SlackBridgeConfig,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const context = await NestFactory.createApplicationContext(SlackBridgeModule.on(bus, config, log), {
    logger: false,
    abortOnError: false,
  });
  return { close: () => context.close() };
}
