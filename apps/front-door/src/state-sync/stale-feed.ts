import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus, Subscription as BusSubscription } from '@portico/bus';
import { DotGlob, type PayloadOf, wentStale } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { CatalogueMemory } from '../catalogue-memory.js';
import type { Access } from '../policy/policy.js';
import { domainsOfPattern, toolsOfPattern } from './stale-patterns.js';
import { staleUri } from './stale-uri.js';
import type { Subscriptions } from './subscriptions.js';

/** Most patterns that wait to be told of; further ones are lost. */
const MOST_WAITING = 1_000;
/** Milliseconds of telling after which calls have their turn. */
const SLICE_MS = 2;
/** Least milliseconds between two rounds: what goes stale again and again meanwhile is told once. */
const PAUSE_MS = 25;

interface Stale {
  readonly tenant: string;
  readonly pattern: string;
}

/** Tells subscribers what has gone stale, at whichever front door: behind the calls, and in slices between them. */
export class StaleFeed implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly waiting = new Map<string, Stale>();
  private readonly closing = new AbortController();
  private heard: BusSubscription | undefined;
  private telling = false;

  constructor(
    private readonly bus: Bus,
    private readonly memory: CatalogueMemory,
    private readonly subscriptions: Subscriptions,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.heard = await this.bus.listen(wentStale, (stale) => this.hear(stale));
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.heard?.close();
  }

  private hear({ tenant, patterns }: PayloadOf<typeof wentStale>): void {
    if (this.subscriptions.waitingOf(tenant).size === 0) return;
    for (const pattern of patterns)
      if (this.waiting.size < MOST_WAITING) this.waiting.set(JSON.stringify([tenant, pattern]), { tenant, pattern });
    if (this.telling) return;
    this.telling = true;
    this.rounds()
      .catch((error: unknown) => this.log.error('stale.not-told', { error }))
      .finally(() => (this.telling = false));
  }

  private async rounds(): Promise<void> {
    const { signal } = this.closing;
    await turn();
    while (this.waiting.size > 0 && !signal.aborted) {
      const startedAt = performance.now();
      const stale = [...this.waiting.values()];
      this.waiting.clear();
      await this.round(stale);
      // At least as long as the round took: however much goes stale, half of the time is left for calls.
      await pause(Math.max(PAUSE_MS, performance.now() - startedAt), undefined, { signal }).catch(() => undefined);
    }
  }

  private async round(all: readonly Stale[]): Promise<void> {
    const { catalogue } = await this.memory.forList();
    let sliceEnds = performance.now() + SLICE_MS;
    for (const { tenant, pattern } of all) {
      const glob = new DotGlob(pattern);
      const params = { uri: staleUri(pattern) };
      const tools = toolsOfPattern(catalogue, domainsOfPattern(pattern));
      const seeing = new Map<Access, boolean>();
      for (const subscription of this.subscriptions.waitingOf(tenant)) {
        if (performance.now() >= sliceEnds) {
          await turn();
          sliceEnds = performance.now() + SLICE_MS;
        }
        if (!subscription.hearsOf(glob)) continue;
        const access = catalogue.policy.accessOf(subscription.principal);
        // Whoever may use no tool of the domain is not told of it.
        const sees = seeing.get(access) ?? (access.all || tools.some((tool) => access.allows(tool)));
        seeing.set(access, sees);
        if (sees) subscription.tell('notifications/resources/updated', params);
      }
    }
  }
}
