export { retry } from './retry.js';
export type { RetryOptions } from './retry.js';
export { singleFlight } from './single-flight.js';
