import { randomUUID } from 'node:crypto';
import { Fault } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { serveDomain } from '@portico/domain-kit';
import type { CallScope, Domain, ServedSource, SourceHealthReport } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { N8nClient } from './client.js';
import type { AdapterN8nConfig } from './config.js';
import { tools } from './tools.js';
import { WebhookClient } from './webhook-client.js';

/** `n8n.*`: the workflows that a person exposed, and the making of workflows that none of its tools can expose. */
export class N8nDomain {
  private readonly n8n: N8nClient;
  private readonly webhooks: WebhookClient;
  private served: ServedSource | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly config: AdapterN8nConfig,
    private readonly log: Log,
  ) {
    this.n8n = new N8nClient(config, log);
    this.webhooks = new WebhookClient(config, log);
  }

  async onApplicationBootstrap(): Promise<void> {
    const domain: Domain = {
      name: 'n8n',
      description: 'Workflows of n8n that a person exposed: described, triggered, their executions; making new ones.',
      version: '0.1.0',
      callTimeoutMs: this.config.callTimeoutMs,
      tools: tools(this.n8n, this.webhooks, this.config),
      health: (scope) => this.health(scope),
    };
    this.served = await serveDomain(this.bus, domain, { instance: randomUUID(), log: this.log });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.served?.close();
    await this.n8n.close();
    await this.webhooks.close();
  }

  private async health(scope: CallScope): Promise<SourceHealthReport> {
    try {
      await this.n8n.check(scope);
      return { state: 'up' };
    } catch (error) {
      return { state: 'down', detail: Fault.from(error).code };
    }
  }
}
