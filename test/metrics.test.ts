import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningPortico, startPortico } from '@portico/local';
import { createLog } from '@portico/observe';
import { parse } from 'yaml';

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}
interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly runbook_url: string };
    }[];
  }[];
}

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const dashboards = readdirSync(join(root, 'infra/grafana')).sort();
const { groups } = parse(read('infra/prometheus/alerts.yaml')) as Alerts;
const rules = groups.flatMap((group) => group.rules);
const rows = [...read('docs/metrics.md').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*)\| ([^|]+)\|$/gm)].map(
  ([, name = '', type = '', labels = '', meaning = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort(),
    meaning: meaning.trim(),
  }),
);

/** What of a metric's name is its own: a histogram is three series. */
const family = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');
/** Names of metrics, and of what is asked of their labels, in an expression of Prometheus. */
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:portico|process|nodejs)_\w+/g)].map(([name]) => name);
const labelsIn = (expr: string): [string, string[]][] =>
  [...expr.matchAll(/\b(portico_\w+)\{([^}]*)\}/g)].map(([, name = '', inside = '']) => [
    family(name),
    [...inside.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
  ]);

describe('what is served at /metrics', () => {
  let home: string;
  let portico: RunningPortico;
  let text: string;
  const types = (): Map<string, string> =>
    new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'portico-metrics-'));
    const env = { PORT: '0', ADMIN_PORT: '0', PORTICO_HOME: home, WORKSPACE: join(home, 'workspace') };
    portico = await startPortico(env, createLog({ name: 'portico', level: 'silent' }));
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const params = { name: 'task.status', arguments: { resource: 'plane:A/A-1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const called = await fetch(`${portico.url}/mcp`, { method: 'POST', headers, body });
    expect(called.status).toBe(200);
    text = await (await fetch(`${portico.adminUrl}/metrics`)).text();
  });
  afterAll(async () => {
    await portico.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('[OP-11] is in docs/metrics.md, a row each with its type, and nothing else is', () => {
    const own = [...types()].filter(([name]) => name.startsWith('portico_')).sort();
    expect(rows.map(({ name, type }) => [name, type]).sort()).toEqual(own);
    for (const { meaning } of rows) expect(meaning.length).toBeGreaterThan(10);
  });

  it('[OP-11] has the labels that its row says', () => {
    const seen = new Set<string>();
    for (const [, series = '', inside = ''] of text.matchAll(/^(portico_\w+)\{([^}]*)\} /gm)) {
      const labels = [...inside.matchAll(/(\w+)="/g)].flatMap(([, label = '']) => (label === 'le' ? [] : label)).sort();
      const row = rows.find(({ name }) => name === series || name === family(series));
      expect([series, labels]).toEqual([series, row?.labels]);
      seen.add(family(series));
    }
    for (const name of [
      'portico_calls_total',
      'portico_bus_asks_total',
      'portico_bus_served_total',
      'portico_discovery_sources',
    ])
      expect(seen).toContain(name);
  });

  it('[OP-11] is named alike: in base units, and what only grows ends in _total', () => {
    for (const [name, type] of types()) {
      if (!name.startsWith('portico_')) continue;
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(name).not.toMatch(/_(ms|millis|milliseconds|minutes|kb|mb|percent)(_|$)/);
      if (type === 'histogram') expect(name).toMatch(/_duration_seconds$/);
    }
  });

  it('[OP-11] counts a call, what was asked for it and what served it', () => {
    expect(text).toMatch(/^portico_calls_total\{domain="task",code="OK",served_from="backend"\} 1$/m);
    expect(text).toMatch(/^portico_call_duration_seconds_count\{domain="task"\} 1$/m);
    expect(text).toMatch(/^portico_bus_asks_total\{call="source.call-tool",code="OK"\} 1$/m);
    expect(text).toMatch(/^portico_bus_served_total\{call="source.call-tool",code="OK"\} 1$/m);
    expect(text).toMatch(/^portico_bus_serving 0$/m);
  });

  it.each(dashboards)('[OP-12] has every metric of the dashboard %s, with its labels', (file) => {
    const { uid, title, panels } = JSON.parse(read(`infra/grafana/${file}`)) as Dashboard;
    expect([uid, title]).toEqual([`portico-${file.replace('.json', '')}`, `Portico: ${file.replace('.json', '')}`]);
    expect(panels.length).toBeGreaterThan(3);
    for (const { targets } of panels) {
      for (const { expr } of targets) {
        expect(metricsIn(expr).length).toBeGreaterThan(0);
        expect(metricsIn(expr).filter((name) => !types().has(family(name)) && !types().has(name))).toEqual([]);
        checkLabels(expr);
      }
    }
  });

  it('[OP-12] has every metric of the alerts, and each says what to do, where', () => {
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, expr, for: during, labels, annotations } of rules) {
      expect(metricsIn(expr).filter((name) => !types().has(family(name)) && !types().has(name))).toEqual([]);
      checkLabels(expr);
      const anchor = alert
        .replace(/^Portico/, '')
        .replace(/(?!^)(?=[A-Z])/g, '-')
        .toLowerCase();
      expect(annotations.runbook_url).toBe(`docs/operating.md#alert-${anchor}`);
      expect(annotations.summary).toMatch(/\.$/);
      expect([during, labels.severity]).toEqual([
        expect.stringMatching(/^\d+[mh]$/),
        expect.stringMatching(/^(page|ticket)$/),
      ]);
    }
  });

  it('[OP-12] has a dashboard for each side of the system', () => {
    expect(dashboards).toEqual(
      ['bus', 'cache', 'calls', 'discovery', 'domains', 'saturation'].map((name) => `${name}.json`),
    );
  });
});

/** A label that a metric does not have would match nothing, and nobody would be told. */
function checkLabels(expr: string): void {
  for (const [name, labels] of labelsIn(expr)) {
    const row = rows.find((one) => one.name === name);
    expect([
      name,
      labels.filter((label) => !['job', 'instance', 'le', ...(row?.labels ?? [])].includes(label)),
    ]).toEqual([name, []]);
  }
}
