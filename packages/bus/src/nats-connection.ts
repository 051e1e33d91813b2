import { setTimeout as delay } from 'node:timers/promises';
import type { Msg, NatsConnection as Client, Subscription as ClientSubscription } from '@nats-io/transport-node';
import { Fault } from '@portico/contracts';
import type { BusLog } from './bus-log.js';
import type { HeaderBlock } from './header-block.js';
import type { LinkSubscription } from './link.js';
import { followAddress } from './follow-address.js';
import { type NatsServer, dial, isRefusal, whyNot } from './nats-dial.js';
import { TooLarge } from './too-large.js';

/** Milliseconds: one dial, between dials at first and at most, to part in peace. */
const DIAL_MS = 4_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;
const PARTING_MS = 1_000;

interface Wanted {
  readonly subject: string;
  readonly queue?: string;
  /** Must not throw. */
  readonly receive: (message: Msg) => void;
  held?: ClientSubscription;
}

export interface NatsConnectionOptions extends NatsServer {
  readonly log: BusLog;
  /** Whether the address may become another while the connection stands. */
  readonly changes: boolean;
  /** Milliseconds the first connection may take. */
  readonly connectTimeoutMs: number;
  /** The connection is gone: what was sent over it will not be answered. */
  readonly onLost: () => void;
}

/**
 * One connection to NATS, made anew for ever when it is lost. Each is a client of its own that never reconnects: the
 * client's own reconnecting keeps what was published meanwhile and sends it later, which would run a request whose
 * asker has long been told that it failed.
 */
export class NatsConnection {
  private client: Client | undefined;
  private readonly wanted = new Set<Wanted>();
  private readonly stopped = new AbortController();
  private reconnecting: Promise<void> | undefined;
  private following: Promise<void> | undefined;
  private lastMaxPayload = 0;

  private constructor(private readonly options: NatsConnectionOptions) {}

  /** Rejects with one sentence when there is no server, or it refuses us, within the time. */
  static async open(options: NatsConnectionOptions): Promise<NatsConnection> {
    const connection = new NatsConnection(options);
    const until = performance.now() + options.connectTimeoutMs;
    for (let attempt = 0; ; attempt++) {
      try {
        connection.use(await dial(options, Math.min(DIAL_MS, Math.max(1, until - performance.now()))));
        if (options.changes) {
          const { signal } = connection.stopped;
          connection.following = followAddress(options.address, signal, () => connection.goOver());
        }
        return connection;
      } catch (error) {
        const wait = waitBefore(attempt);
        if (isRefusal(error) || performance.now() + wait >= until)
          throw new Error(whyNot(options, options.connectTimeoutMs, error), { cause: error });
        if (attempt === 0)
          options.log.info('bus.waiting', { setting: 'BUS_URL', atMostSecs: options.connectTimeoutMs / 1_000 });
        await delay(wait);
      }
    }
  }

  /** As the server last told us. */
  get maxPayload(): number {
    this.lastMaxPayload = this.client?.info?.max_payload ?? this.lastMaxPayload;
    return this.lastMaxPayload;
  }

  /** Throws a Fault, and has sent nothing, when there is no connection or the message is larger than the server takes. */
  publish(subject: string, data: Uint8Array, { reply, headers }: { reply?: string; headers?: HeaderBlock } = {}): void {
    const { client } = this;
    if (!client || client.isClosed())
      throw new Fault('BACKEND_UNAVAILABLE', 'The bus is not connected right now.', {
        executed: 'no',
        unserved: true,
      });
    const bytes = data.length + (headers?.byteLength ?? 0);
    if (bytes > this.maxPayload) throw new TooLarge(bytes, this.maxPayload);
    client.publish(subject, data, {
      ...(reply !== undefined && { reply }),
      ...(headers && { headers: headers.asHeaders() }),
    });
  }

  /** Resolves once the server knows of it, or at once while there is no connection: then it will, when there is. */
  async subscribe(wanted: Wanted): Promise<LinkSubscription> {
    this.wanted.add(wanted);
    const { client } = this;
    if (client) {
      this.attach(wanted, client);
      await Promise.race([client.flush(), client.closed()]).catch(() => {});
    }
    return {
      close: async () => {
        this.wanted.delete(wanted);
        const parting = wanted.held?.drain().catch(() => {});
        await Promise.race([parting, this.client?.closed()]);
      },
    };
  }

  async close(): Promise<void> {
    this.stopped.abort();
    const { client } = this;
    this.client = undefined;
    if (client) {
      const parting = new AbortController();
      await Promise.race([client.flush().catch(() => {}), delay(PARTING_MS, undefined, parting).catch(() => {})]);
      parting.abort();
      await client.close();
    }
    await this.reconnecting;
    await this.following;
  }

  /**
   * The new connection takes requests before the old one stops, so that no call fails; what is told in between may be heard
   * twice. A new address that does not let us in leaves things as they are.
   */
  private async goOver(): Promise<boolean> {
    if (!this.client) return false;
    const { log } = this.options;
    const client = await dial(this.options, DIAL_MS).catch((error: unknown) => {
      log.warn('bus.new-address-refused', { setting: 'BUS_URL', reason: (error as Error).name });
      return undefined;
    });
    const old = this.client;
    if (!client) return false;
    if (this.stopped.signal.aborted || !old) {
      await client.close();
      return false;
    }
    this.use(client);
    await client.flush().catch(() => {});
    await old.drain().catch(() => {});
    log.info('bus.new-address', { setting: 'BUS_URL' });
    return true;
  }

  private use(client: Client): void {
    this.client = client;
    for (const wanted of this.wanted) this.attach(wanted, client);
    void this.reportErrors(client);
    void client.closed().then(() => this.lost(client));
  }

  private attach(wanted: Wanted, client: Client): void {
    const { log } = this.options;
    const { subject, queue, receive } = wanted;
    wanted.held = client.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => {
        if (error) log.error('bus.subscription-refused', { subject, error });
        else receive(message);
      },
    });
  }

  private async reportErrors(client: Client): Promise<void> {
    for await (const status of client.status()) {
      if (status.type === 'error') this.options.log.error('bus.server-error', { error: status.error });
    }
  }

  private lost(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.options.log.warn('bus.disconnected');
    this.options.onLost();
    this.reconnecting = this.reconnect();
  }

  private async reconnect(): Promise<void> {
    const { signal } = this.stopped;
    for (let attempt = 0; !signal.aborted; attempt++) {
      await delay(waitBefore(attempt), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const client = await dial(this.options, DIAL_MS).catch(() => undefined);
      if (!client) continue;
      if (signal.aborted) return client.close();
      this.use(client);
      return this.options.log.info('bus.reconnected', { attempts: attempt + 1 });
    }
  }
}

/** Doubles up to a bound, less up to half of it by chance, so that services do not return all at once. */
const waitBefore = (attempt: number): number =>
  Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2);
