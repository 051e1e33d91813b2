import { median } from './statistics.mjs';

/** @typedef {{ perSecond: number, p50Ms: number, p99Ms: number, errors: number, cpuMicros: number }} Sample */
/** @typedef {(row: string, connections: number) => Sample[]} SamplesOf one for each repeat, in order */

/** What each ratio compares: speed of two rows, or their CPU time a call (`cpu`), or their p99 (`p99`), or the difference of their p50 (`added`). */
const RATIOS =
  /** @type {{ name: string, of: string, to: string, at: number, by?: 'cpu' | 'p99' | 'added', atLeast?: number, atMost?: number }[]} */ ([
    { name: 'frontAlone', of: 'front-alone', to: 'bare-http', at: 16, atLeast: 0.55 },
    ...[1, 16, 32].map((at) => ({ name: `frontAlone${at}`, of: 'front-alone', to: 'bare-http', at })),
    { name: 'frontAloneCpu16', of: 'front-alone', to: 'bare-http', at: 16, by: 'cpu' },
    { name: 'hungP99At16', of: 'front-hung', to: 'front-alone', at: 16, by: 'p99', atMost: 2 },
    { name: 'keyToOpen16', of: 'front-key', to: 'front-alone', at: 16, atLeast: 0.9 },
    { name: 'jwtToOpen16', of: 'front-jwt', to: 'front-alone', at: 16, atLeast: 0.9 },
    { name: 'keyToOpenCpu16', of: 'front-key', to: 'front-alone', at: 16, by: 'cpu' },
    { name: 'jwtToOpenCpu16', of: 'front-jwt', to: 'front-alone', at: 16, by: 'cpu' },
    { name: 'sdkOnly16', of: 'sdk-only', to: 'bare-http', at: 16 },
    { name: 'thin16', of: 'thin-proxy', to: 'direct', at: 16 },
    ...[1, 16, 32].map((at) => ({ name: `hop${at}`, of: 'full-hop', to: 'direct', at })),
    ...[1, 16, 32].map((at) => ({
      name: `hop${at}ToThin`,
      of: 'full-hop',
      to: 'thin-proxy',
      at,
      ...(at === 16 && { atLeast: 0.8 }),
    })),
    { name: 'hopCpu16ToThin', of: 'full-hop', to: 'thin-proxy', at: 16, by: 'cpu' },
    { name: 'addedMs1', of: 'full-hop', to: 'thin-proxy', at: 1, by: 'added', atMost: 0.15 },
    { name: 'thinNats16', of: 'thin-nats', to: 'direct', at: 16 },
    ...[1, 16, 32].map((at) => ({ name: `hopNats${at}`, of: 'full-hop-nats', to: 'direct', at })),
    ...[1, 16, 32].map((at) => ({
      name: `hopNats${at}ToThin`,
      of: 'full-hop-nats',
      to: 'thin-nats',
      at,
      ...(at === 16 && { atLeast: 0.7 }),
    })),
    { name: 'hopNatsCpu16ToThin', of: 'full-hop-nats', to: 'thin-nats', at: 16, by: 'cpu' },
    { name: 'addedNatsMs1', of: 'full-hop-nats', to: 'thin-nats', at: 1, by: 'added' },
  ]);

const MEANS = { speed: 'to', cpu: 'to, by CPU time,', p99: 'to, by p99,', added: 'p50 minus' };

/**
 * Every ratio: the two rows compared within each repeat, then the median of those; null when a row did not run.
 * @param {SamplesOf} samplesOf
 */
export const ratios = (samplesOf) =>
  RATIOS.map(({ name, of, to, at, by, atLeast, atMost }) => {
    const others = samplesOf(to, at);
    const pairs = samplesOf(of, at).flatMap((sample, repeat) => {
      const other = others[repeat];
      if (other === undefined) return [];
      if (by === 'p99') return [sample.p99Ms / other.p99Ms];
      if (by === 'added') return [sample.p50Ms - other.p50Ms];
      return [by === 'cpu' ? other.cpuMicros / sample.cpuMicros : sample.perSecond / other.perSecond];
    });
    const value = pairs.length === 0 ? null : median(pairs);
    const reached = value === null ? undefined : value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
    const most = by === 'added' ? `<= +${atMost} ms` : `<= ${atMost}x`;
    const target = atLeast !== undefined ? `>= ${atLeast}x` : atMost !== undefined ? most : '';
    return {
      name,
      means: `${of} ${MEANS[by ?? 'speed']} ${to}, ${at} conn.`,
      unit: by === 'added' ? 'ms' : 'x',
      value,
      target,
      reached,
    };
  });
