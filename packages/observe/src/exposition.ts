import type { HistogramSample, MetricReading } from './metric-reading.js';
import type { Labels } from './series.js';

/** A metric in the Prometheus text format. */
export function exposition(metric: MetricReading): string {
  const { name, help, type } = metric;
  const lines =
    metric.type === 'histogram'
      ? metric.samples.map((sample) => histogramLines(name, metric.bounds, sample))
      : metric.samples.map(({ labels, value }) => sampleLine(name, labels, value));
  const told = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${told}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const sampleLine = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
};

/** Prometheus counts each bucket together with all below it. */
function histogramLines(name: string, bounds: readonly number[], { labels, counts, count, sum }: HistogramSample) {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return sampleLine(`${name}_bucket`, { ...labels, le: String(bound) }, below);
  });
  return (
    buckets.join('') +
    sampleLine(`${name}_bucket`, { ...labels, le: '+Inf' }, count) +
    sampleLine(`${name}_sum`, labels, sum) +
    sampleLine(`${name}_count`, labels, count)
  );
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
