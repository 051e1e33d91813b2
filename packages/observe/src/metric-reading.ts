import type { Labels } from './series.js';

interface Named {
  /** With its prefix. */
  readonly name: string;
  readonly help: string;
}
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}
export interface HistogramSample {
  readonly labels: Labels;
  /** One for each bound: what fell between the bound before and this one. */
  readonly counts: readonly number[];
  /** Of all values, those beyond the last bound too. */
  readonly count: number;
  readonly sum: number;
}

/** One metric as it stood when it was read. */
export type MetricReading =
  | (Named & { readonly type: 'counter' | 'gauge'; readonly samples: readonly Sample[] })
  | (Named & {
      readonly type: 'histogram';
      readonly bounds: readonly number[];
      readonly samples: readonly HistogramSample[];
    });
