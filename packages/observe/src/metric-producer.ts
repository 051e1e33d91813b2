import type { HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricReading } from './metric-reading.js';
import type { Metrics } from './metrics.js';

type Times = { readonly startTime: HrTime; readonly endTime: HrTime };

/** Our metrics as the SDK sends them: under the names that /metrics has, each counted since the process began to send. */
export function metricProducer(metrics: Metrics, resource: Resource): MetricProducer {
  const startTime = now();
  return {
    async collect() {
      const readings = await metrics.readings();
      const times = { startTime, endTime: now() };
      const data = readings.filter(({ samples }) => samples.length > 0).map((reading) => dataOf(reading, times));
      const scopeMetrics = [{ scope: { name: 'portico' }, metrics: data }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

const now = (): HrTime => {
  const ms = Date.now();
  return [Math.trunc(ms / 1_000), (ms % 1_000) * 1_000_000];
};

function dataOf(reading: MetricReading, times: Times): MetricData {
  const unit = /_(seconds|bytes)(?:_total)?$/.exec(reading.name)?.[1];
  const common = {
    descriptor: {
      name: reading.name,
      description: reading.help,
      unit: unit === 'seconds' ? 's' : unit === 'bytes' ? 'By' : '',
      valueType: 1,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (reading.type === 'histogram') return histogramOf(reading, common, times);
  const dataPoints = reading.samples.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
  return reading.type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

function histogramOf(
  { bounds, samples }: Extract<MetricReading, { type: 'histogram' }>,
  common: Pick<HistogramMetricData, 'descriptor' | 'aggregationTemporality'>,
  times: Times,
): HistogramMetricData {
  const dataPoints = samples.map(({ labels, counts, count, sum }) => {
    const beyond = count - counts.reduce((below, bucket) => below + bucket, 0);
    const buckets = { boundaries: [...bounds], counts: [...counts, beyond] };
    return { ...times, attributes: labels, value: { buckets, count, sum } };
  });
  return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
}
