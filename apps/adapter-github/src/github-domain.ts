import { randomUUID } from 'node:crypto';
import { Fault } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { serveDomain } from '@portico/domain-kit';
import type { CallScope, Domain, ServedSource, SourceHealthReport } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { GithubClient } from './client.js';
import type { AdapterGithubConfig } from './config.js';
import { tools } from './tools.js';

/** `github.*`: the repositories on a list, to be read. */
export class GithubDomain {
  private readonly github: GithubClient;
  private served: ServedSource | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly config: AdapterGithubConfig,
    private readonly log: Log,
  ) {
    this.github = new GithubClient(config, log);
  }

  async onApplicationBootstrap(): Promise<void> {
    const domain: Domain = {
      name: 'github',
      description: 'GitHub repositories: files, commits, pull requests, issues. Read only.',
      version: '0.1.0',
      callTimeoutMs: this.config.callTimeoutMs,
      tools: tools(this.github, this.config.repositories),
      health: (scope) => this.health(scope),
    };
    this.served = await serveDomain(this.bus, domain, { instance: randomUUID(), log: this.log });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.served?.close();
    await this.github.close();
  }

  private async health(scope: CallScope): Promise<SourceHealthReport> {
    try {
      await this.github.check(scope);
      return { state: 'up' };
    } catch (error) {
      return { state: 'down', detail: Fault.from(error).code };
    }
  }
}
