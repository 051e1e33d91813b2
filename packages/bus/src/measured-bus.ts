import { Fault } from '@portico/contracts';
import type { Call, Announcement } from '@portico/contracts';
import type { AskOptions, Bus, Handler, ServeOptions } from './bus.js';

interface Measure {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}
/** Where the bus counts: the metrics of a service, as far as it needs them. */
export interface BusMetrics {
  counter(measure: Measure): { with(labels: Readonly<Record<string, string>>): { inc(): void } };
  histogram(measure: Measure): { with(labels: Readonly<Record<string, string>>): { observe(value: number): void } };
  gauge(measure: Measure, read: () => number): void;
}

/** Subjects whose measures are kept found; there are six for each source. */
const MOST_SUBJECTS = 10_000;

/** A bus that counts what is asked and answered on it, and how long that took. Nobody waits for the counting. */
export function measuredBus(bus: Bus, metrics: BusMetrics): Bus {
  const labels = ['call', 'code'];
  const asks = new CallMeasures(
    metrics.counter({ name: 'bus_asks_total', help: 'Asks of other services, by how they ended.', labels }),
    metrics.histogram({
      name: 'bus_ask_duration_seconds',
      help: 'Time from an ask to its answer.',
      labels: ['call'],
    }),
  );
  const served = new CallMeasures(
    metrics.counter({ name: 'bus_served_total', help: 'Requests served, by how they ended.', labels }),
    metrics.histogram({
      name: 'bus_serve_duration_seconds',
      help: 'Time that a request was worked on.',
      labels: ['call'],
    }),
  );
  let running = 0;
  metrics.gauge({ name: 'bus_serving', help: 'Requests that are worked on now.', labels: [] }, () => running);

  return {
    get maxPayload() {
      return bus.maxPayload;
    },
    ask<C extends Call>(call: C, request: Parameters<Bus['ask']>[1], options?: AskOptions) {
      const measure = asks.of(call.subject);
      const began = performance.now();
      const answer = bus.ask(call, request as never, options);
      answer.then(
        () => measure.ended('OK', began),
        (error: unknown) => measure.ended(codeOf(error), began),
      );
      return answer;
    },
    serve<C extends Call>(call: C, handler: Handler<C>, options?: ServeOptions) {
      const measure = served.of(call.subject);
      const measured: Handler<C> = async (request, incoming) => {
        running += 1;
        const began = performance.now();
        let code = 'OK';
        try {
          return await handler(request, incoming);
        } catch (error) {
          code = codeOf(error);
          throw error;
        } finally {
          running -= 1;
          measure.ended(code, began);
        }
      };
      return bus.serve(call, measured, options);
    },
    tell: (announcement, payload) => bus.tell(announcement, payload),
    listen: <A extends Announcement>(announcement: A, listener: Parameters<typeof bus.listen<A>>[1]) =>
      bus.listen(announcement, listener),
    close: () => bus.close(),
  };
}

/** How calls end and how long they take, by subject, each found once. */
class CallMeasures {
  private readonly bySubject = new Map<string, CallMeasure>();

  constructor(
    private readonly count: ReturnType<BusMetrics['counter']>,
    private readonly time: ReturnType<BusMetrics['histogram']>,
  ) {}

  of(subject: string): CallMeasure {
    const known = this.bySubject.get(subject);
    if (known) return known;
    if (this.bySubject.size >= MOST_SUBJECTS) this.bySubject.clear();
    const call = callName(subject);
    const measure = new CallMeasure(this.time.with({ call }), (code) => this.count.with({ call, code }));
    this.bySubject.set(subject, measure);
    return measure;
  }
}

class CallMeasure {
  private readonly byCode = new Map<string, { inc(): void }>();

  constructor(
    private readonly time: { observe(value: number): void },
    private readonly counterOf: (code: string) => { inc(): void },
  ) {}

  /** `began` by `performance.now()`. */
  ended(code: string, began: number): void {
    let count = this.byCode.get(code);
    // Codes are a closed list.
    if (count === undefined) this.byCode.set(code, (count = this.counterOf(code)));
    count.inc();
    this.time.observe((performance.now() - began) / 1_000);
  }
}

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : 'UNKNOWN_ERROR');

/** `source.call-tool` whichever the source is: names of sources are not ours, and there may be any number. */
const callName = (subject: string): string =>
  /^(domain|upstream)\./.test(subject) ? `source${subject.slice(subject.lastIndexOf('.'))}` : subject;
