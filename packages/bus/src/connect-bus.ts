import { AddressFile } from './address-file.js';
import type { Bus } from './bus.js';
import { stderrLog } from './bus-log.js';
import type { BusLog } from './bus-log.js';
import { LinkBus } from './link-bus.js';
import { measuredBus } from './measured-bus.js';
import type { BusMetrics } from './measured-bus.js';
import { memoryBus } from './memory-bus.js';
import { readNatsAddress } from './nats-address.js';

export interface ConnectBusOptions {
  /**
   * `memory:`, or a comma list of `nats://host:port` or `tls://host:port?ca=file`; `user:password@` or `token@` before the host.
   * With `file:<path>` it is in that file, and what is changed there is used within two seconds.
   */
  readonly url: string;
  /** Name of the service, by which the server's operators know its connection. */
  readonly name: string;
  readonly log?: BusLog | undefined;
  /** Where what is asked and served is counted; nowhere without it. */
  readonly metrics?: BusMetrics;
  /** Milliseconds the first connection may take: 10 000 unless given. Lost later, it is sought for ever. */
  readonly connectTimeoutMs?: number;
}

/** The bus at BUS_URL. Rejects with one sentence that names the setting and shows no credential. */
export const connectBus = async ({ metrics, ...options }: ConnectBusOptions): Promise<Bus> => {
  const bus = await connect(options);
  return metrics === undefined ? bus : measuredBus(bus, metrics);
};

const connect = async ({ url, name, log = stderrLog, connectTimeoutMs = 10_000 }: ConnectBusOptions): Promise<Bus> => {
  if (url === 'memory:') return memoryBus({ log });
  const file = new AddressFile(url);
  const address = () => readNatsAddress(file.read());
  address();
  // Half the modules of a start in one process would be the NATS client's.
  const { NatsLink } = await import('./nats-link.js');
  return new LinkBus(await NatsLink.open({ address, changes: file.inFile, name, log, connectTimeoutMs }), log);
};
