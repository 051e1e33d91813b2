export { Breakers, CircuitOpen } from './breakers.js';
export type { BreakerOptions, BreakerState } from './breakers.js';
export { retry } from './retry.js';
export type { RetryOptions } from './retry.js';
export { singleFlight } from './single-flight.js';
