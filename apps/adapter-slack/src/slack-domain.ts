import { randomUUID } from 'node:crypto';
import { Fault, checkSlack } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { serveDomain } from '@portico/domain-kit';
import type { CallScope, Domain, ServedSource, SourceHealthReport } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { BridgeClient } from './client.js';
import { tools } from './tools.js';

/** `slack.*`: channels and what is said in them, by way of the bridge. */
export class SlackDomain {
  private readonly bridge: BridgeClient;
  private served: ServedSource | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly callTimeoutMs: number,
    private readonly log: Log,
  ) {
    this.bridge = new BridgeClient(bus);
  }

  async onApplicationBootstrap(): Promise<void> {
    const domain: Domain = {
      name: 'slack',
      description: 'Slack channels that are open to agents: what is said there, and saying something.',
      version: '0.1.0',
      callTimeoutMs: this.callTimeoutMs,
      tools: tools(this.bridge),
      health: (scope) => this.health(scope),
    };
    this.served = await serveDomain(this.bus, domain, { instance: randomUUID(), log: this.log });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.served?.close();
  }

  private async health(scope: CallScope): Promise<SourceHealthReport> {
    try {
      await this.bridge.ask(checkSlack, {}, scope);
      return { state: 'up' };
    } catch (error) {
      return { state: 'down', detail: Fault.from(error).code };
    }
  }
}
