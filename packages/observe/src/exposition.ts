import type { Labels } from './series.js';

/** The first two lines of a metric in the Prometheus text format. */
export const metricHeader = (name: string, help: string, type: 'counter' | 'gauge' | 'histogram'): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;

export const sampleLine = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
};

interface Buckets {
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

/** Prometheus counts each bucket together with all below it. */
export function histogramLines(name: string, labels: Labels, bounds: readonly number[], data: Buckets): string {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += data.counts[index] ?? 0;
    return sampleLine(`${name}_bucket`, { ...labels, le: String(bound) }, below);
  });
  return (
    buckets.join('') +
    sampleLine(`${name}_bucket`, { ...labels, le: '+Inf' }, data.count) +
    sampleLine(`${name}_sum`, labels, data.sum) +
    sampleLine(`${name}_count`, labels, data.count)
  );
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
