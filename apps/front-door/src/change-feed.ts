import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Bus, Subscription } from '@portico/bus';
import { callCancelled, resourceUpdated } from '@portico/contracts';
import { EVERYTHING } from './policy/policy.js';
import type { CatalogueMemory } from './catalogue-memory.js';
import type { ListMethod, PublishedCatalogue } from './published-catalogue.js';
import type { RunningCalls } from './running-calls.js';
import { isOwnUri } from './state-sync/stale-uri.js';
import type { Subscriptions } from './state-sync/subscriptions.js';

/** Carries what changes behind the front door to the clients that listen, and cancellations to the calls they name. */
export class ChangeFeed implements OnApplicationBootstrap, OnApplicationShutdown {
  private subscriptions: Subscription[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly memory: CatalogueMemory,
    private readonly clients: Subscriptions,
    private readonly running: RunningCalls,
  ) {
    memory.onChange((before, after) => this.announce(before, after));
  }

  async onApplicationBootstrap(): Promise<void> {
    this.subscriptions = await Promise.all([
      this.bus.listen(callCancelled, ({ session, requestId }) => void this.running.cancel(session, requestId)),
      this.bus.listen(resourceUpdated, ({ source, uri }) => {
        const { catalogue } = this.memory;
        const published = catalogue.publishedUri(source, uri);
        // What is the gateway's own no source can speak of.
        if (isOwnUri(published)) return;
        const route = catalogue.resolveResource(published);
        this.clients.resourceUpdated(
          published,
          (principal) => route === undefined || catalogue.policy.accessOf(principal).allows(route),
        );
      }),
    ]);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.close()));
  }

  /** One notification for each kind of list whose published content really differs, or that may differ for some by policy. */
  private announce(before: PublishedCatalogue, after: PublishedCatalogue): void {
    const differs = (method: ListMethod): boolean =>
      before.policy !== after.policy ||
      before.listJson(method, 'modern', EVERYTHING) !== after.listJson(method, 'modern', EVERYTHING);
    if (differs('tools/list')) this.clients.toolsChanged();
    if (differs('prompts/list')) this.clients.promptsChanged();
    if (differs('resources/list') || differs('resources/templates/list')) this.clients.resourcesChanged();
  }
}
