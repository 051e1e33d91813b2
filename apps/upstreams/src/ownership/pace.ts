/**
 * In milliseconds: how often an instance says that it lives (`beat`); how old that may be when it hears it itself, to count
 * for its watchdog, which ends all it runs 2 s after it last counted (`fresh`); how long it may not have heard itself before
 * it begins to end what it holds (`unheard`); how long it is silent before it is taken for dead, which is longer than
 * `fresh` and the watchdog's time together, so that whoever takes over starts nothing that still runs elsewhere
 * (`silent`); how long calls go on when their server changes hands, as long as a stop lets them (`handover`).
 */
export const PACE = { beatMs: 200, freshMs: 400, unheardMs: 1_500, silentMs: 2_800, handoverMs: 5_000 };
export type Pace = typeof PACE;
