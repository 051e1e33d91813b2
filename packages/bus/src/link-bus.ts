import { Fault } from '@portico/contracts';
import type { Announcement, Call, PayloadOf, ReplyOf, RequestOf } from '@portico/contracts';
import type { z } from 'zod';
import type { AskOptions, Bus, Handler, ServeOptions, Subscription } from './bus.js';
import type { BusLog } from './bus-log.js';
import { issuesOf } from './contract-check.js';
import { exchange } from './exchange.js';
import type { AskingEnd } from './exchange.js';
import type { Link } from './link.js';
import { Serving } from './serving.js';
import { Slots } from './slots.js';

const DRAIN_MS = 5_000;

/** A bus over any link: everything the `Bus` interface promises is kept here and below, once for all links. */
export class LinkBus implements Bus {
  private readonly asking: AskingEnd;
  private readonly served = new Set<string>();
  /** How to end each subscription, given the most milliseconds it may take over it. */
  private readonly endings = new Set<(mostMs: number) => Promise<void>>();
  private closing: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly link: Link,
    private readonly log: BusLog,
  ) {
    this.asking = { link, log, open: new Slots() };
  }

  get maxPayload(): number {
    return this.link.maxPayload;
  }

  ask<C extends Call>(call: C, request: RequestOf<C>, options: AskOptions = {}): Promise<ReplyOf<C>> {
    if (this.closed) return Promise.reject(closedFault('no'));
    return exchange(this.asking, call, request, options);
  }

  async serve<C extends Call>(
    call: C,
    handler: Handler<C>,
    { drainMs = DRAIN_MS }: ServeOptions = {},
  ): Promise<Subscription> {
    this.refuseWhenClosing();
    if (this.served.has(call.subject)) throw new Error(`"${call.subject}" is already served by this bus.`);
    this.served.add(call.subject);
    const serving = new Serving(call, handler, this.log);
    try {
      const accepting = await this.link.accept(call.subject, serving.accept);
      return this.subscription(async (mostMs) => {
        await accepting.close();
        await serving.drain(Math.min(drainMs, mostMs));
        this.served.delete(call.subject);
      });
    } catch (error) {
      this.served.delete(call.subject);
      throw error;
    }
  }

  tell<A extends Announcement>(announcement: A, payload: z.input<A['payload']>): void {
    if (this.closed) return;
    const { subject } = announcement;
    const checked = announcement.payload.safeParse(payload);
    if (!checked.success)
      return this.log.error('bus.tell-outside-contract', { subject, issues: issuesOf(checked.error) });
    try {
      this.link.publish(subject, payload);
    } catch (error) {
      this.log.warn('bus.not-told', { subject, error });
    }
  }

  async listen<A extends Announcement>(
    { subject, payload }: A,
    listener: (payload: PayloadOf<A>) => void | Promise<void>,
  ): Promise<Subscription> {
    this.refuseWhenClosing();
    const hearing = await this.link.hear(subject, (data) => {
      const checked = payload.safeParse(data);
      if (!checked.success)
        return this.log.warn('bus.told-outside-contract', { subject, issues: issuesOf(checked.error) });
      const failed = (error: unknown): void => this.log.error('bus.listener-failed', { subject, error });
      try {
        Promise.resolve(listener(checked.data as PayloadOf<A>)).catch(failed);
      } catch (error) {
        failed(error);
      }
    });
    return this.subscription(() => hearing.close());
  }

  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    await Promise.allSettled([...this.endings].map((end) => end(DRAIN_MS)));
    this.closed = true;
    for (const end of this.asking.open) end(closedFault('unknown'));
    await this.link.close();
  }

  private subscription(end: (mostMs: number) => Promise<void>): Subscription {
    let ended: Promise<void> | undefined;
    const endOnce = (mostMs: number): Promise<void> => {
      ended ??= end(mostMs).finally(() => this.endings.delete(endOnce));
      return ended;
    };
    this.endings.add(endOnce);
    return { close: () => endOnce(Infinity) };
  }

  private refuseWhenClosing(): void {
    if (this.closing) throw new Error('The bus is closed.');
  }
}

const closedFault = (executed: 'no' | 'unknown'): Fault =>
  new Fault('BACKEND_UNAVAILABLE', 'The bus is closed.', { executed });
