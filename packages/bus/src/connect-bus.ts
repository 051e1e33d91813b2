import type { Bus } from './bus.js';
import type { BusLog } from './bus-log.js';
import { memoryBus } from './memory-bus.js';

export interface ConnectBusOptions {
  /** `memory:`, or a comma list of `nats://host:port` or `tls://host:port`. */
  readonly url: string;
  /** Name of the service, by which the server's operators know its connection. */
  readonly name: string;
  readonly log?: BusLog | undefined;
}

/** The bus at BUS_URL. */
export const connectBus = ({ url, log }: ConnectBusOptions): Promise<Bus> => {
  if (url === 'memory:') return Promise.resolve(memoryBus({ log }));
  return Promise.reject(new Error('BUS_URL takes "memory:".'));
};
