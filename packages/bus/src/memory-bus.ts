import { Fault } from '@portico/contracts';
import type { Bus } from './bus.js';
import { stderrLog } from './bus-log.js';
import type { BusLog } from './bus-log.js';
import { LinkBus } from './link-bus.js';
import type { Accept, Answers, Link, LinkRequest, LinkSubscription, Running } from './link.js';

/** What buses in one process meet on. */
export class MemoryHub {
  readonly accepting = new Map<string, { readonly takers: Accept[]; next: number }>();
  readonly hearing = new Map<string, Set<(data: unknown) => void>>();
}

/** Passes payloads by reference: receivers must not change them. */
class MemoryLink implements Link {
  readonly maxPayload = Infinity;

  constructor(private readonly hub: MemoryHub) {}

  request(request: LinkRequest, answers: Answers): Running {
    const group = this.hub.accepting.get(request.subject);
    const accept = group?.takers[group.next++ % group.takers.length];
    if (!accept)
      throw new Fault('BACKEND_UNAVAILABLE', 'The service that answers this is not running.', {
        executed: 'no',
        unserved: true,
      });
    return accept(request, answers);
  }

  accept(subject: string, accept: Accept): Promise<LinkSubscription> {
    const { accepting } = this.hub;
    const group = accepting.get(subject) ?? { takers: [], next: 0 };
    accepting.set(subject, group);
    group.takers.push(accept);
    return Promise.resolve({
      close: () => {
        group.takers.splice(group.takers.indexOf(accept), 1);
        if (group.takers.length === 0) accepting.delete(subject);
        return Promise.resolve();
      },
    });
  }

  publish(subject: string, data: unknown): void {
    const listeners = this.hub.hearing.get(subject);
    for (const hear of listeners ?? []) queueMicrotask(() => listeners?.has(hear) && hear(data));
  }

  hear(subject: string, hear: (data: unknown) => void): Promise<LinkSubscription> {
    const { hearing } = this.hub;
    const listeners = hearing.get(subject) ?? new Set();
    hearing.set(subject, listeners);
    listeners.add(hear);
    return Promise.resolve({
      close: () => {
        listeners.delete(hear);
        if (listeners.size === 0 && hearing.get(subject) === listeners) hearing.delete(subject);
        return Promise.resolve();
      },
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export interface MemoryBusOptions {
  readonly log?: BusLog | undefined;
  /** Buses on one hub reach each other, as processes on one server do; a hub of its own otherwise. */
  readonly hub?: MemoryHub;
}

/** A bus within this process. */
export const memoryBus = ({ log = stderrLog, hub = new MemoryHub() }: MemoryBusOptions = {}): Bus =>
  new LinkBus(new MemoryLink(hub), log);
