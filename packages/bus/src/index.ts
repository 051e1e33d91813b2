export type { AskOptions, Bus, Handler, Incoming, ServeOptions, Subscription } from './bus.js';
export type { BusLog } from './bus-log.js';
export { connectBus } from './connect-bus.js';
export type { ConnectBusOptions } from './connect-bus.js';
export { Slots } from './slots.js';
export type { BusMetrics } from './measured-bus.js';
export { MemoryHub, memoryBus } from './memory-bus.js';
export type { MemoryBusOptions } from './memory-bus.js';
