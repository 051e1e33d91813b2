import { Series, type Labels } from './series.js';
import { histogramLines, metricHeader, sampleLine } from './exposition.js';

export interface Counter {
  /** Adds `by` (1 unless given, never negative). */
  inc(labels?: Labels, by?: number): void;
}
export interface Histogram {
  observe(labels: Labels, value: number): void;
}
export interface MetricNames {
  /** Without prefix: `calls_total`, `call_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** From half a millisecond to a minute, in seconds. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * The metrics of one process, as Prometheus text. Counting is a map update, so that it costs nothing on the path of a call;
 * prom-client, which knows the process's own metrics, is loaded by the first scrape.
 */
export class Metrics {
  readonly #rendered = new Map<string, () => string>();
  readonly #declared = new Map<string, Counter | Histogram>();
  #process: Promise<() => Promise<string>> | undefined;

  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  constructor(readonly prefix = 'portico_') {}

  counter(names: MetricNames): Counter {
    return this.#once(names, (name) => {
      const series = new Series(names.labels ?? [], () => ({ value: 0 }));
      const lines = () => series.map((labels, { value }) => sampleLine(name, labels, value));
      this.#rendered.set(name, () => metricHeader(name, names.help, 'counter') + lines().join(''));
      return { inc: (labels = {}, by = 1) => void (series.at(labels).value += Math.max(0, by)) };
    });
  }

  /** `buckets` are upper bounds, rising; durations in seconds unless given. */
  histogram(names: MetricNames & { readonly buckets?: readonly number[] }): Histogram {
    return this.#once(names, (name) => {
      const buckets = names.buckets ?? DURATION_BUCKETS;
      const series = new Series(names.labels ?? [], () => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
      const lines = () => series.map((labels, data) => histogramLines(name, labels, buckets, data));
      this.#rendered.set(name, () => metricHeader(name, names.help, 'histogram') + lines().join(''));
      return {
        observe: (labels, value) => {
          const data = series.at(labels);
          const bucket = buckets.findIndex((bound) => value <= bound);
          if (bucket >= 0) data.counts[bucket] = (data.counts[bucket] ?? 0) + 1;
          data.count += 1;
          data.sum += value;
        },
      };
    });
  }

  /** A value that is read when it is scraped, and costs nothing between. Declaring it again replaces its reader. */
  gauge(names: MetricNames, read: () => number | Iterable<readonly [Labels, number]>): void {
    const name = this.#named(names.name);
    this.#rendered.set(name, () => {
      const found = read();
      const series = new Series(names.labels ?? [], () => ({ value: 0 }));
      for (const [labels, value] of typeof found === 'number' ? [[{}, found] as const] : found) {
        series.at(labels).value += value;
      }
      const lines = series.map((labels, { value }) => sampleLine(name, labels, value));
      return metricHeader(name, names.help, 'gauge') + lines.join('');
    });
  }

  /** Everything as Prometheus text, ours first, then the process's own. */
  async text(): Promise<string> {
    this.#process ??= processMetrics();
    const own = [...this.#rendered.values()].map((render) => render()).join('');
    return own + (await (await this.#process)());
  }

  /** Services that share a process declare the same metric: it is one. */
  #once<M extends Counter | Histogram>(names: MetricNames, make: (name: string) => M): M {
    const name = this.#named(names.name);
    const known = this.#declared.get(name);
    if (known) return known as M;
    const made = make(name);
    this.#declared.set(name, made);
    return made;
  }

  #named(name: string): string {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`"${name}" is no name of a metric`);
    return this.prefix + name;
  }
}

async function processMetrics(): Promise<() => Promise<string>> {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register });
  return () => register.metrics();
}
