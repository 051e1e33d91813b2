import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

describe('Metrics', () => {
  it('serves counters, histograms and gauges as Prometheus text', async () => {
    const metrics = new Metrics();
    const calls = metrics.counter({ name: 'calls_total', help: 'Calls.', labels: ['domain', 'code'] });
    const duration = metrics.histogram({ name: 'call_seconds', help: 'Time.', labels: ['domain'], buckets: [0.1, 1] });
    metrics.gauge({ name: 'sessions', help: 'Open\nsessions.' }, () => 3);
    calls.inc({ domain: 'files', code: 'OK' });
    calls.inc({ domain: 'files', code: 'OK' }, 2);
    calls.inc({ domain: 'say "hi"\n', code: 'OK' });
    for (const seconds of [0.05, 0.1, 0.5, 7]) duration.observe({ domain: 'files' }, seconds);
    const text = await metrics.text();
    expect(text).toContain('# HELP portico_calls_total Calls.\n# TYPE portico_calls_total counter\n');
    expect(text).toContain('portico_calls_total{domain="files",code="OK"} 3\n');
    expect(text).toContain('portico_calls_total{domain="say \\"hi\\"\\n",code="OK"} 1\n');
    expect(text).toContain(
      [
        'portico_call_seconds_bucket{domain="files",le="0.1"} 2',
        'portico_call_seconds_bucket{domain="files",le="1"} 3',
        'portico_call_seconds_bucket{domain="files",le="+Inf"} 4',
        'portico_call_seconds_sum{domain="files"} 7.65',
        'portico_call_seconds_count{domain="files"} 4',
      ].join('\n'),
    );
    expect(text).toContain(
      '# HELP portico_sessions Open\\nsessions.\n# TYPE portico_sessions gauge\nportico_sessions 3\n',
    );
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('keeps label values few, whatever callers send', async () => {
    const metrics = new Metrics('t_');
    const calls = metrics.counter({ name: 'calls_total', help: 'h', labels: ['a', 'b', 'c'] });
    for (let i = 0; i < 20_000; i++) calls.inc({ a: `a${i % 5000}`, b: `b${i}`, c: 'x'.repeat(i % 300) });
    const rows = (await metrics.text()).split('\n').filter((line) => line.startsWith('t_calls_total{'));
    expect(rows.length).toBeLessThanOrEqual(2_001);
    expect(rows.reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0)).toBe(20_000);
  });

  it('is one metric when services of one process declare it twice, and refuses a bad name', async () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'asks_total', help: 'Asks.' }).inc();
    metrics.counter({ name: 'asks_total', help: 'Asks.' }).inc();
    expect((await metrics.text()).match(/^portico_asks_total 2$/gm)).toHaveLength(1);
    expect(() => metrics.counter({ name: 'Asks-total', help: '' })).toThrow(TypeError);
  });

  it('give one series to whom counts it often, the same that its labels name', async () => {
    const metrics = new Metrics();
    const counter = metrics.counter({ name: 'calls_total', help: 'Calls.', labels: ['code'] });
    counter.with({ code: 'OK' }).inc();
    counter.inc({ code: 'OK' });
    const histogram = metrics.histogram({ name: 'time_seconds', help: 'Time.', labels: ['code'], buckets: [1] });
    histogram.with({ code: 'OK' }).observe(0.5);
    histogram.observe({ code: 'OK' }, 2);
    const text = await metrics.text();
    expect(text).toContain('portico_calls_total{code="OK"} 2\n');
    expect(text).toContain('portico_time_seconds_bucket{code="OK",le="1"} 1\n');
    expect(text).toContain('portico_time_seconds_count{code="OK"} 2\n');
  });
});
