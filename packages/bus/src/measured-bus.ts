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
  counter(measure: Measure): { inc(labels: Readonly<Record<string, string>>): void };
  histogram(measure: Measure): { observe(labels: Readonly<Record<string, string>>, value: number): void };
  gauge(measure: Measure, read: () => number): void;
}

/** A bus that counts what is asked and answered on it, and how long that took. Nobody waits for the counting. */
export function measuredBus(bus: Bus, metrics: BusMetrics): Bus {
  const labels = ['call', 'code'];
  const asks = metrics.counter({ name: 'bus_asks_total', help: 'Asks of other services, by how they ended.', labels });
  const served = metrics.counter({ name: 'bus_served_total', help: 'Requests served, by how they ended.', labels });
  const askTime = metrics.histogram({
    name: 'bus_ask_duration_seconds',
    help: 'Time from an ask to its answer.',
    labels: ['call'],
  });
  const serveTime = metrics.histogram({
    name: 'bus_serve_duration_seconds',
    help: 'Time that a request was worked on.',
    labels: ['call'],
  });
  let running = 0;
  metrics.gauge({ name: 'bus_serving', help: 'Requests that are worked on now.', labels: [] }, () => running);

  return {
    get maxPayload() {
      return bus.maxPayload;
    },
    ask<C extends Call>(call: C, request: Parameters<Bus['ask']>[1], options?: AskOptions) {
      const name = callName(call.subject);
      const began = performance.now();
      const ended = (code: string): void => {
        asks.inc({ call: name, code });
        askTime.observe({ call: name }, (performance.now() - began) / 1_000);
      };
      const answer = bus.ask(call, request as never, options);
      answer.then(
        () => ended('OK'),
        (error: unknown) => ended(codeOf(error)),
      );
      return answer;
    },
    serve<C extends Call>(call: C, handler: Handler<C>, options?: ServeOptions) {
      const name = callName(call.subject);
      const measured: Handler<C> = (request, incoming) => {
        running += 1;
        const began = performance.now();
        const ended = (code: string): void => {
          running -= 1;
          served.inc({ call: name, code });
          serveTime.observe({ call: name }, (performance.now() - began) / 1_000);
        };
        const answer = handler(request, incoming);
        answer.then(
          () => ended('OK'),
          (error: unknown) => ended(codeOf(error)),
        );
        return answer;
      };
      return bus.serve(call, measured, options);
    },
    tell: (announcement, payload) => bus.tell(announcement, payload),
    listen: <A extends Announcement>(announcement: A, listener: Parameters<typeof bus.listen<A>>[1]) =>
      bus.listen(announcement, listener),
    close: () => bus.close(),
  };
}

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : 'UNKNOWN_ERROR');

/** `source.call-tool` whichever the source is: names of sources are not ours, and there may be any number. */
const callName = (subject: string): string =>
  /^(domain|upstream)\./.test(subject) ? `source${subject.slice(subject.lastIndexOf('.'))}` : subject;
