import { randomUUID } from 'node:crypto';
import { Fault } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { serveDomain } from '@portico/domain-kit';
import type { CallScope, Domain, ServedSource, SourceHealthReport } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { PlaneReader } from './client.js';
import type { AdapterPlaneConfig } from './config.js';
import { tools } from './tools.js';
import { writesOf } from './writes.js';
import type { WorkItemWrites } from './writes/work-item-writes.js';

/** `plane.*`: work items, read from Plane, written to git, to Plane, or to both. */
export class PlaneDomain {
  private readonly plane: PlaneReader;
  private readonly writes: WorkItemWrites;
  private served: ServedSource | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly config: AdapterPlaneConfig,
    private readonly log: Log,
  ) {
    this.plane = new PlaneReader(config, log);
    this.writes = writesOf(config, this.plane, log);
  }

  async onApplicationBootstrap(): Promise<void> {
    const domain: Domain = {
      name: 'plane',
      description: 'Work items of a Plane workspace: projects, items, states, labels, cycles, modules, comments.',
      version: '0.1.0',
      callTimeoutMs: this.config.callTimeoutMs,
      tools: tools(this.plane, this.writes),
      health: (scope) => this.health(scope),
    };
    this.served = await serveDomain(this.bus, domain, { instance: randomUUID(), log: this.log });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.served?.close();
    await this.plane.close();
    await this.writes.close();
  }

  private async health(scope: CallScope): Promise<SourceHealthReport> {
    const [plane, written] = await Promise.all([codeOf(this.plane.check(scope)), codeOf(this.writes.check(scope))]);
    if (plane !== undefined) return { state: 'down', detail: plane };
    // Without git there is still everything to be read.
    return written === undefined ? { state: 'up' } : { state: 'degraded', detail: written };
  }
}

const codeOf = (asked: Promise<void>): Promise<string | undefined> =>
  asked.then(
    () => undefined,
    (error: unknown) => Fault.from(error).code,
  );
