import { cpus, loadavg, release, totalmem } from 'node:os';
import { canPin } from './children.mjs';
import { median } from './statistics.mjs';

const round = (/** @type {number} */ value, /** @type {number} */ digits) => Number(value.toFixed(digits));

/** What the figures were taken on; `load` above 0.5 at the start says that others were using it. */
export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cpus: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  system: `${process.platform} ${release()}`,
  pinned: canPin,
  load: round(loadavg()[0] ?? 0, 2),
  at: new Date().toISOString(),
});

/** @param {string} name @param {number} concurrency @param {import('./ratios.mjs').Sample[]} samples */
export const summary = (name, concurrency, samples) => {
  const middle = (/** @type {(sample: import('./ratios.mjs').Sample) => number} */ of) => median(samples.map(of));
  return {
    name,
    concurrency,
    perSecond: round(
      middle((sample) => sample.perSecond),
      0,
    ),
    p50Ms: round(
      middle((sample) => sample.p50Ms),
      3,
    ),
    p99Ms: round(
      middle((sample) => sample.p99Ms),
      3,
    ),
    errors: samples.reduce((sum, sample) => sum + sample.errors, 0),
    cpuMicrosPerCall: round(
      middle((sample) => sample.cpuMicros),
      0,
    ),
  };
};

/** Columns as wide as they must be, the first to the left. @param {string[]} header @param {(string | number)[][]} rows */
export const table = (header, rows) => {
  const lines = [header, ...rows].map((cells) => cells.map(String));
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  return lines
    .map((cells) => cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '))
    .join('\n');
};

/** @param {ReturnType<typeof summary>[]} rows @param {{ name: string, reason: string }[]} notRun */
export const rowTable = (rows, notRun) =>
  [
    table(
      ['row', 'conn.', 'calls/s', 'p50 ms', 'p99 ms', 'errors', 'CPU us/call', 'CPU busy'],
      rows.map(({ name, concurrency, perSecond, p50Ms, p99Ms, errors, cpuMicrosPerCall }) => {
        const busy = `${Math.round((perSecond * cpuMicrosPerCall) / 10_000)} %`;
        return [name, concurrency, perSecond, p50Ms, p99Ms, errors, cpuMicrosPerCall, busy];
      }),
    ),
    ...notRun.map(({ name, reason }) => `${name}: not run: ${reason}`),
  ].join('\n');

/** @param {ReturnType<typeof import('./ratios.mjs').ratios>} all */
export const ratioTable = (all) =>
  table(
    ['ratio', 'value', 'target', '', 'of what'],
    all
      .filter(({ value, target }) => value !== null || target !== '')
      .map(({ name, value, unit, target, reached, means }) => [
        name,
        value === null ? 'not run' : `${value.toFixed(3)} ${unit}`,
        target,
        target === '' || reached === undefined ? '' : reached ? 'reached' : 'missed',
        means,
      ]),
  );
