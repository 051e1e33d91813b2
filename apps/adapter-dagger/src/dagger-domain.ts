import { randomUUID } from 'node:crypto';
import { Fault } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { serveDomain } from '@portico/domain-kit';
import type { CallScope, Domain, ServedSource, SourceHealthReport } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { DispatcherClient } from './client.js';
import type { AdapterDaggerConfig } from './config.js';
import { tools } from './tools.js';

/** `dagger.*`: runs of the CI dispatcher, to be read. */
export class DaggerDomain {
  private readonly dispatcher: DispatcherClient;
  private served: ServedSource | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly config: AdapterDaggerConfig,
    private readonly log: Log,
  ) {
    this.dispatcher = new DispatcherClient(config, log);
  }

  async onApplicationBootstrap(): Promise<void> {
    const domain: Domain = {
      name: 'dagger',
      description: 'Runs of Dagger pipelines: how they went, what they wrote, what they left. Read only.',
      version: '0.1.0',
      callTimeoutMs: this.config.callTimeoutMs,
      tools: tools(this.dispatcher),
      health: (scope) => this.health(scope),
    };
    this.served = await serveDomain(this.bus, domain, { instance: randomUUID(), log: this.log });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.served?.close();
    await this.dispatcher.close();
  }

  private async health(scope: CallScope): Promise<SourceHealthReport> {
    try {
      await this.dispatcher.check(scope);
      return { state: 'up' };
    } catch (error) {
      return { state: 'down', detail: Fault.from(error).code };
    }
  }
}
