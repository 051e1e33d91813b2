import type { MetricReading } from './metric-reading.js';

export interface ProcessMetrics {
  text(): Promise<string>;
  /** Without its histograms: of garbage collection, which are in the text. */
  readings(): Promise<MetricReading[]>;
}

/** What prom-client measures of this process: CPU, memory, event loop, garbage collection. Loads it. */
export async function processMetrics(): Promise<ProcessMetrics> {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register });
  return {
    text: () => register.metrics(),
    async readings() {
      const found = await register.getMetricsAsJSON();
      return found.flatMap(({ name, help, type, values }): MetricReading[] => {
        const kind = String(type);
        if (kind !== 'counter' && kind !== 'gauge') return [];
        const samples = values.map(({ labels, value }) => ({
          labels: Object.fromEntries(Object.entries(labels).map(([label, said]) => [label, String(said)])),
          value,
        }));
        return [{ name, help, type: kind, samples }];
      });
    },
  };
}
