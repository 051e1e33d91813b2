/** How long work waits for who does it: closed forms, and a simulation that they are held against. Times in seconds. */

/**
 * The chance that somebody who comes must wait where `servers` work off one queue (Erlang C).
 * @param {number} servers @param {number} offered work that comes in a second, in seconds; less than `servers`
 */
export const erlangC = (servers, offered) => {
  // Erlang B by its recurrence, which no factorial can make too large.
  let blocked = 1;
  for (let count = 1; count <= servers; count++) blocked = (offered * blocked) / (count + offered * blocked);
  return blocked / (1 - (offered / servers) * (1 - blocked));
};

/**
 * The wait in front of `servers` that share one queue (M/M/c), or of one of them that has a queue of its own (M/M/1: c = 1).
 * @param {{ perSecond: number, serviceSeconds: number, servers: number }} load
 * @returns {{ mean: number, p99: number }} Infinity where more comes than can be done
 */
export const waits = ({ perSecond, serviceSeconds, servers }) => {
  const offered = perSecond * serviceSeconds;
  if (offered >= servers) return { mean: Infinity, p99: Infinity };
  const waiting = erlangC(servers, offered);
  const rate = servers / serviceSeconds - perSecond;
  return { mean: waiting / rate, p99: Math.max(0, Math.log(waiting / 0.01) / rate) };
};

/** A generator of numbers in (0, 1], the same for the same seed. @param {number} seed */
const numbers = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 1) / 4_294_967_296;
  };
};

/**
 * Sends so many requests, at random times, to servers that take random times. `random`: each server has a queue, and a
 * request goes to any, as NATS gives them out; `shared`: whoever is free first takes the next.
 * @param {{ perSecond: number, serviceSeconds: number, servers: number, split: 'random' | 'shared', requests: number, seed?: number }} load
 * @returns {{ mean: number, p99: number }} of the waits, without the service itself
 */
export const simulate = ({ perSecond, serviceSeconds, servers, split, requests, seed = 1 }) => {
  const next = numbers(seed);
  /** When each server is free. */
  const freeAt = Array.from({ length: servers }, () => 0);
  const waited = new Float64Array(requests);
  let now = 0;
  for (let count = 0; count < requests; count++) {
    now -= Math.log(next()) / perSecond;
    const free = split === 'shared' ? Math.min(...freeAt) : undefined;
    const server = free === undefined ? Math.min(servers - 1, Math.floor(next() * servers)) : freeAt.indexOf(free);
    const begins = Math.max(now, freeAt[server] ?? 0);
    waited[count] = begins - now;
    freeAt[server] = begins - Math.log(next()) * serviceSeconds;
  }
  const sorted = waited.toSorted();
  return {
    mean: waited.reduce((sum, wait) => sum + wait, 0) / requests,
    p99: sorted[Math.floor(requests * 0.99)] ?? 0,
  };
};
