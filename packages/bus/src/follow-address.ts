import { setTimeout as delay } from 'node:timers/promises';
import type { NatsAddress } from './nats-address.js';

/** Milliseconds between looks at whether the address is another now. */
const LOOK_MS = 1_000;

/** Until the signal aborts: calls `goOver` when the address has become another, and again until it says that it is used. */
export const followAddress = async (
  address: () => NatsAddress,
  signal: AbortSignal,
  goOver: () => Promise<boolean>,
): Promise<void> => {
  const read = (): string | undefined => {
    try {
      return JSON.stringify(address());
    } catch {
      // What is in the file now is no address: the last one stays in use.
      return undefined;
    }
  };
  for (let used = read(); !signal.aborted;) {
    await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    const now = read();
    if (signal.aborted || now === undefined || now === used) continue;
    if (await goOver()) used = now;
  }
};
