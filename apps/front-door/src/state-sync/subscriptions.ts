import type { ServerResponse } from 'node:http';
import type { Principal } from '@portico/contracts';
import type { Refusal } from '../http-guards.js';
import { errorJson, sendJson } from '../http-reply.js';
import type { KeepAlive } from '../keep-alive.js';
import { principalKey } from '../limits/principal-key.js';
import { INVALID_PARAMS } from '../mcp-request.js';
import { refuse } from '../refusals.js';
import type { RpcMessage } from '../rpc-message.js';
import type { UnreadSubscriptions } from '../unread-subscriptions.js';
import { honouredFilter } from './listen-filter.js';
import { Subscription } from './subscription.js';

/** How many subscriptions may be open at one front door. */
export interface SubscriptionBounds {
  readonly total: number;
  /** Of one principal, so that none takes the places of all. */
  readonly perPrincipal: number;
}

const RETRY_MS = 5_000;
const FULL: Refusal = {
  status: 503,
  code: -32000,
  message: 'Too many subscriptions are open. Try again in a while.',
  faultCode: 'BACKEND_UNAVAILABLE',
  retryAfterMs: RETRY_MS,
};
const CROWDED: Refusal = {
  status: 429,
  code: -32000,
  message: 'Too many of your subscriptions are open. Close some first.',
  faultCode: 'RATE_LIMITED',
  retryAfterMs: RETRY_MS,
};

const NOBODY: ReadonlySet<Subscription> = new Set();

/** The open `subscriptions/listen` streams. Telling them is best effort, and waits for nobody. */
export class Subscriptions {
  private readonly open = new Set<Subscription>();
  private readonly counts = new Map<string, number>();
  /** By tenant, those that wait for something to go stale. */
  private readonly waiting = new Map<string, Set<Subscription>>();
  private closed = false;

  constructor(
    private readonly bounds: SubscriptionBounds,
    private readonly keepAlive: KeepAlive,
    private readonly unread: UnreadSubscriptions,
  ) {}

  /** Serves a `subscriptions/listen`: acknowledges what is honoured of its filter, then keeps it, or ends it if that is nothing. */
  listen({ id, params }: RpcMessage & { id: string | number }, principal: Principal, res: ServerResponse): void {
    const honoured = honouredFilter(params);
    if (honoured === undefined) {
      const message = 'Invalid params: notifications must be a filter such as { "toolsListChanged": true }.';
      return sendJson(res, 200, errorJson(id, INVALID_PARAMS, message));
    }
    const refusal = this.full(principal);
    if (refusal !== undefined) return refuse(res, refusal);
    const subscription = new Subscription(res, id, principal, honoured);
    // One that comes while the front door closes ends as those do that are open.
    if (this.closed || Object.keys(honoured).length === 0) return subscription.end();
    this.keep(subscription, res);
  }

  toolsChanged(): void {
    this.tell('notifications/tools/list_changed', ({ honoured }) => honoured.toolsListChanged === true);
  }

  promptsChanged(): void {
    this.tell('notifications/prompts/list_changed', ({ honoured }) => honoured.promptsListChanged === true);
  }

  resourcesChanged(): void {
    this.tell('notifications/resources/list_changed', ({ honoured }) => honoured.resourcesListChanged === true);
  }

  /** Tells those who subscribed to exactly this URI and may hear of it. */
  resourceUpdated(uri: string, mayHear: (principal: Principal) => boolean): void {
    const hears = ({ uris, principal }: Subscription): boolean => uris.has(uri) && mayHear(principal);
    this.tell('notifications/resources/updated', hears, { uri });
  }

  /** Those of a tenant that wait for something to go stale; it changes while one looks at it. */
  waitingOf(tenant: string): ReadonlySet<Subscription> {
    return this.waiting.get(tenant) ?? NOBODY;
  }

  /** Ends all that are open, and all that still come, with their graceful result. */
  close(): void {
    this.closed = true;
    for (const subscription of this.open) subscription.end();
  }

  private tell(method: string, hears: (one: Subscription) => boolean, params?: Record<string, unknown>): void {
    for (const subscription of this.open) if (hears(subscription)) subscription.tell(method, params);
  }

  private full(principal: Principal): Refusal | undefined {
    if (this.open.size >= this.bounds.total) return FULL;
    return (this.counts.get(principalKey(principal)) ?? 0) >= this.bounds.perPrincipal ? CROWDED : undefined;
  }

  private keep(subscription: Subscription, res: ServerResponse): void {
    const key = principalKey(subscription.principal);
    const { tenant } = subscription.principal;
    this.open.add(subscription);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    if (subscription.patterns.length > 0)
      this.waiting.set(tenant, (this.waiting.get(tenant) ?? new Set<Subscription>()).add(subscription));
    const quiet = this.keepAlive.start(subscription);
    this.unread.watch(res);
    res.once('close', () => {
      quiet();
      this.open.delete(subscription);
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
      const others = this.waiting.get(tenant);
      others?.delete(subscription);
      if (others?.size === 0) this.waiting.delete(tenant);
    });
  }
}
