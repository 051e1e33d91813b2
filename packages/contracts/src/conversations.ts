import type { Announcement, Call } from './call.js';

/**
 * What one service does on the bus; `*` stands for any one token of a subject. Its permissions at the server are made of
 * this, so what is missing here is refused there.
 */
export interface Conversations {
  readonly serves: readonly Call[];
  readonly asks: readonly Call[];
  readonly tells: readonly Announcement[];
  readonly hears: readonly Announcement[];
}
