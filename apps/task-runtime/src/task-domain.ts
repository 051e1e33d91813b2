import { Fault, guardLease } from '@portico/contracts';
import type { Bus, Subscription } from '@portico/bus';
import { serveDomain } from '@portico/domain-kit';
import type { Domain, ServedSource } from '@portico/domain-kit';
import type { Log } from '@portico/observe';
import { leaseVerdict } from './guard-lease.js';
import type { LeaseStore } from './lease-store.js';
import { tools } from './tools.js';

/** `task.*`: who works on what; and the word on a lease that the front door asks for before a protected call. */
export class TaskDomain {
  private served: ServedSource | undefined;
  private guarding: Subscription | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly leases: LeaseStore,
    private readonly log: Log,
    private readonly serving: { readonly instance: string; readonly callTimeoutMs: number },
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { bus, leases, log } = this;
    const { instance, callTimeoutMs } = this.serving;
    this.guarding = await bus.serve(guardLease, (request) => leaseVerdict(leases, request));
    this.served = await serveDomain(bus, { ...domainOn(leases), callTimeoutMs }, { instance, log });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.served?.close();
    await this.guarding?.close();
    await this.leases.close();
  }
}

const domainOn = (leases: LeaseStore): Domain => ({
  name: 'task',
  description: 'Leases on shared work: one agent works on one thing.',
  version: '0.1.0',
  tools: tools(leases),
  health: async () => {
    try {
      await leases.find('health');
      return { state: 'up' };
    } catch (error) {
      return { state: 'down', detail: Fault.from(error).code };
    }
  },
});
