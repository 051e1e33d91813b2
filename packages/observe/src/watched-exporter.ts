import type { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Log } from './log.js';

type Exporter<Items> = Pick<OTLPTraceExporter | OTLPMetricExporter, 'forceFlush' | 'shutdown'> & {
  export(items: Items, done: (result: { code: number; error?: Error }) => void): void;
};

/**
 * An exporter whose failures are logged once, and once more that they ended: not for each batch. Of what the collector says
 * nothing is told but its status, and nothing of where it is.
 */
export class WatchedExporter<Items> {
  #failing = false;

  constructor(
    private readonly exporter: Exporter<Items>,
    private readonly signal: 'traces' | 'metrics',
    private readonly log: Log,
  ) {}

  export(items: Items, done: (result: { code: number }) => void): void {
    this.exporter.export(items, ({ code, error }) => {
      this.#note(code === 0, error);
      done({ code: 0 });
    });
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  #note(delivered: boolean, error: (Error & { code?: unknown }) | undefined): void {
    const { signal } = this;
    if (!delivered && !this.#failing) {
      const code =
        typeof error?.code === 'number' || typeof error?.code === 'string' ? error.code : 'no answer in time';
      this.log.warn('telemetry.not-delivered', { signal, code });
    } else if (delivered && this.#failing) this.log.info('telemetry.delivered-again', { signal });
    this.#failing = !delivered;
  }
}
