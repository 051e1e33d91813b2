import { exposition } from './exposition.js';
import type { MetricReading } from './metric-reading.js';
import { processMetrics, type ProcessMetrics } from './process-metrics.js';
import { Series, type Labels } from './series.js';

export interface Counter {
  /** Adds `by` (1 unless given, never negative). */
  inc(labels?: Labels, by?: number): void;
  /** One series of it, found once: for what is counted at the rate of calls. */
  with(labels: Labels): { inc(): void };
}
export interface Histogram {
  observe(labels: Labels, value: number): void;
  /** One series of it, found once. */
  with(labels: Labels): { observe(value: number): void };
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
 * The metrics of one process, as Prometheus text and as readings. Counting is a map update, so that it costs nothing on the path of a call;
 * prom-client, which knows the process's own metrics, is loaded by the first scrape.
 */
export class Metrics {
  readonly #read = new Map<string, () => MetricReading>();
  readonly #declared = new Map<string, Counter | Histogram>();
  #process: Promise<ProcessMetrics> | undefined;

  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  constructor(readonly prefix = 'portico_') {}

  counter(names: MetricNames): Counter {
    return this.#once(names, (name) => {
      const series = new Series(names.labels ?? [], () => ({ value: 0 }));
      this.#read.set(name, () => ({ name, help: names.help, type: 'counter', samples: samplesOf(series) }));
      return {
        inc: (labels = {}, by = 1) => void (series.at(labels).value += Math.max(0, by)),
        with: (labels) => {
          const one = series.at(labels);
          return { inc: () => void (one.value += 1) };
        },
      };
    });
  }

  /** `buckets` are upper bounds, rising; durations in seconds unless given. */
  histogram(names: MetricNames & { readonly buckets?: readonly number[] }): Histogram {
    return this.#once(names, (name) => {
      const buckets = names.buckets ?? DURATION_BUCKETS;
      const series = new Series(names.labels ?? [], () => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
      this.#read.set(name, () => ({
        name,
        help: names.help,
        type: 'histogram',
        bounds: buckets,
        samples: series.map((labels, { counts, count, sum }) => ({ labels, counts: [...counts], count, sum })),
      }));
      const add = (data: ReturnType<typeof series.at>, value: number): void => {
        const bucket = buckets.findIndex((bound) => value <= bound);
        if (bucket >= 0) data.counts[bucket] = (data.counts[bucket] ?? 0) + 1;
        data.count += 1;
        data.sum += value;
      };
      return {
        observe: (labels, value) => add(series.at(labels), value),
        with: (labels) => {
          const one = series.at(labels);
          return { observe: (value) => add(one, value) };
        },
      };
    });
  }

  /** A value that is read when it is scraped, and costs nothing between. Declaring it again replaces its reader. */
  gauge(names: MetricNames, read: () => number | Iterable<readonly [Labels, number]>): void {
    const name = this.#named(names.name);
    this.#read.set(name, () => {
      const found = read();
      const series = new Series(names.labels ?? [], () => ({ value: 0 }));
      for (const [labels, value] of typeof found === 'number' ? [[{}, found] as const] : found) {
        series.at(labels).value += value;
      }
      return { name, help: names.help, type: 'gauge', samples: samplesOf(series) };
    });
  }

  /** Everything as Prometheus text, ours first, then the process's own. */
  async text(): Promise<string> {
    const own = [...this.#read.values()].map((read) => exposition(read())).join('');
    return own + (await (await this.#ofProcess()).text());
  }

  /** Everything as it stands now: ours, then the process's own counters and gauges. */
  async readings(): Promise<MetricReading[]> {
    const own = [...this.#read.values()].map((read) => read());
    return [...own, ...(await (await this.#ofProcess()).readings())];
  }

  #ofProcess(): Promise<ProcessMetrics> {
    return (this.#process ??= processMetrics());
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

const samplesOf = (series: Series<{ value: number }>) => series.map((labels, { value }) => ({ labels, value }));
