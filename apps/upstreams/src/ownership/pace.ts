/**
 * In milliseconds: how often an instance says that it lives; how long it may not have heard itself before it ends all it
 * holds, which takes 1.5 s at most, as its watchdog sees to; how long it is silent before it is taken for dead, which is
 * longer than both together, so that whoever takes over starts nothing that still runs elsewhere; how long calls go on when
 * their server changes hands.
 */
export const PACE = { beatMs: 250, unheardMs: 1_500, silentMs: 3_500, handoverMs: 2_000 };
export type Pace = typeof PACE;
