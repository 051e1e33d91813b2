import type { Metrics } from '@portico/observe';

/** Counts the calls of agents, by domain and how they ended. */
export class CallMetrics {
  private readonly calls;
  private readonly duration;

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
    this.calls.inc({ domain, code, served_from: servedFrom });
    this.duration.observe({ domain }, durationMs / 1_000);
  }
}
