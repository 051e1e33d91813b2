import type { Stop } from '@portico/contracts';

/** Another instance, as it last told of itself. */
export interface Peer {
  /** By `performance.now()`. */
  heardAt: number;
  holds: ReadonlySet<string>;
  leaving: boolean;
  /** Aborts when it is taken for dead: what was asked of it is not answered any more. */
  readonly gone: Stop;
}
