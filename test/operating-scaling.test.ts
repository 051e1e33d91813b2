import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { FACTORS, MIX, ONE, limits, needs, plan } from '../bench/scaling/model.mjs';
import { erlangC, simulate, waits } from '../bench/scaling/queue.mjs';

const root = join(import.meta.dirname, '..');
const measured = JSON.parse(readFileSync(join(root, 'bench/scaling/measured.json'), 'utf8'));
const page = readFileSync(join(root, 'docs/scaling.md'), 'utf8');

describe('[OP-14] the queues of the model', () => {
  it('are those of the books', () => {
    // M/M/1: the chance to wait is how busy it is; the mean wait is busy / (rate - arrivals).
    expect(erlangC(1, 0.6)).toBeCloseTo(0.6, 10);
    expect(waits({ perSecond: 600, serviceSeconds: 0.001, servers: 1 }).mean).toBeCloseTo(0.6 / 400, 10);
    // Erlang's own tables: two servers at 1 erlang, ten at 8.
    expect(erlangC(2, 1)).toBeCloseTo(1 / 3, 10);
    expect(erlangC(10, 8)).toBeCloseTo(0.409, 3);
    expect(waits({ perSecond: 1_000, serviceSeconds: 0.001, servers: 1 })).toEqual({ mean: Infinity, p99: Infinity });
  });

  it.each([0.3, 0.6, 0.8])('agree with a simulation of every request, %d busy', (busy) => {
    const load = { perSecond: (4 * busy) / 0.001, serviceSeconds: 0.001, servers: 4, requests: 600_000 };
    const pairs = [
      [waits({ ...load, perSecond: load.perSecond / 4, servers: 1 }), simulate({ ...load, split: 'random' })],
      [waits(load), simulate({ ...load, split: 'shared' })],
    ] as const;
    for (const [closed, simulated] of pairs) {
      expect(simulated.mean / closed.mean).toBeGreaterThan(0.9);
      expect(simulated.mean / closed.mean).toBeLessThan(1.1);
      if (closed.p99 === 0) continue;
      expect(simulated.p99 / closed.p99).toBeGreaterThan(0.85);
      expect(simulated.p99 / closed.p99).toBeLessThan(1.15);
    }
    expect(pairs[0][0].mean).toBeGreaterThan(pairs[1][0].mean);
  });
});

describe('[OP-14] what a load takes', () => {
  it('is the sum of what each of its calls was measured to cost', () => {
    expect(Object.values(MIX).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
    const spent = (name: string): number =>
      Object.entries(MIX).reduce((sum, [kind, share]) => sum + share * measured.calls[kind].cpuMicros[name], 0);
    const { processes, connections, used } = needs(measured, 5_000);
    expect(processes['semantic-cache']).toBe(Math.max(2, Math.ceil((5_000 * spent('semantic-cache')) / 1e6 / 0.6)));
    expect(connections).toBe(Object.values(processes).reduce((sum, count) => sum + count, 0));
    expect(used.PostgreSQL).toBeCloseTo((5_000 * spent('PostgreSQL')) / 1e6 / 0.6 / 16, 10);
    // Beside the calls: what the front doors tell, and what each of them adds to every script.
    expect(used.Redis).toBeGreaterThan((5_000 * spent('redis-server')) / 1e6 / 0.6);
  });

  it('is carried by as many cells as keep the first limit, each within all of them', () => {
    const [first] = limits(measured);
    for (const factor of FACTORS) {
      const { cells, calls, cell } = plan(measured, factor);
      expect(calls).toBe(ONE.callsPerSecond * factor);
      expect(cells).toBe(Math.ceil(calls / (first?.callsPerSecond ?? 0)));
      for (const share of Object.values(cell.used)) expect(share).toBeLessThanOrEqual(1);
      expect(cell.waitP99Ms).toBeLessThan(10);
    }
  });

  it('is what the page says, for 10, 100 and 10,000 times, and what breaks first', () => {
    const row = (name: string): string[] =>
      page
        .split('\n')
        .find((line) => line.startsWith('|') && (line.split('|')[1] ?? '').trim() === name)
        ?.split('|')
        .slice(2, -1)
        .map((cell) => cell.replaceAll('*', '').trim()) ?? [];
    const number = (value: number): string => Math.round(value).toLocaleString('en');
    const plans = FACTORS.map((factor) => plan(measured, factor));
    expect(row('calls/s')).toEqual(plans.map(({ calls }) => number(calls)));
    expect(row('**cells**')).toEqual(plans.map(({ cells }) => String(cells)));
    for (const service of Object.keys(plans[0]?.cell.processes ?? {}))
      expect([service, row(`${service}, of a cell`)]).toEqual([
        service,
        plans.map(({ cell }) => String(cell.processes[service])),
      ]);
    expect(row('NATS connections, of a cell')).toEqual(plans.map(({ cell }) => number(cell.connections)));
    expect(row('Redis commands/s, of a cell')).toEqual(plans.map(({ cell }) => number(cell.redisCommands)));
    const names: Record<string, string> = {
      Redis: '**Redis**, one processor',
      'NATS server': 'NATS server of 8 processors',
      PostgreSQL: 'PostgreSQL of 16 processors',
    };
    for (const { resource, callsPerSecond } of limits(measured))
      expect([resource, row(names[resource] ?? resource)]).toEqual([resource, [number(callsPerSecond)]]);
    for (const [kind, { cpuMicros }] of Object.entries<{ cpuMicros: Record<string, number> }>(measured.calls))
      expect([kind, row(kind)[0]]).toEqual([kind, number(cpuMicros['front-door'] ?? 0)]);
  });

  it('is printed by npm run scaling, which has a --help', async () => {
    const scaling = (...args: string[]) =>
      promisify(execFile)(process.execPath, [join(root, 'bench/scaling.mjs'), ...args]);
    expect((await scaling('--help')).stdout).toContain('--measure');
    expect((await scaling()).stdout).toMatch(/of one Portico is used up[^]*Redis[^]*10,000x/);
    await expect(scaling('--nonsense')).rejects.toMatchObject({ code: 1 });
  });
});
