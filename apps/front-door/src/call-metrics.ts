import type { Metrics } from '@portico/observe';

const MOST_DOMAINS = 10_000;

/** Counts the calls of agents, by domain and how they ended. */
export class CallMetrics {
  private readonly calls;
  private readonly duration;
  /** Series that were found already: this is counted at the rate of calls. */
  private readonly byDomain = new Map<
    string,
    { readonly time: { observe(value: number): void }; readonly counts: Map<string, { inc(): void }> }
  >();

  constructor(metrics: Metrics) {
    this.calls = metrics.counter({
      name: 'calls_total',
      help: 'Calls of tools, by domain, how they ended and what answered.',
      labels: ['domain', 'code', 'served_from'],
    });
    this.duration = metrics.histogram({
      name: 'call_duration_seconds',
      help: 'Time of a call in the front door and behind it.',
      labels: ['domain'],
    });
  }

  ended(domain: string, code: string, servedFrom: string, durationMs: number): void {
    let measure = this.byDomain.get(domain);
    if (measure === undefined) {
      if (this.byDomain.size >= MOST_DOMAINS) this.byDomain.clear();
      this.byDomain.set(domain, (measure = { time: this.duration.with({ domain }), counts: new Map() }));
    }
    // Codes and what answers are closed lists.
    const how = `${code} ${servedFrom}`;
    let count = measure.counts.get(how);
    if (count === undefined)
      measure.counts.set(how, (count = this.calls.with({ domain, code, served_from: servedFrom })));
    count.inc();
    measure.time.observe(durationMs / 1_000);
  }
}
