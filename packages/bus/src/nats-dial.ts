import { AuthorizationError, ConnectionError, UserAuthenticationExpiredError, connect } from '@nats-io/transport-node';
import type { NatsConnection as Client } from '@nats-io/transport-node';
import type { NatsAddress } from './nats-address.js';

const PING_MS = 15_000;

/** Where NATS is, and as whom we come. */
export interface NatsServer {
  readonly address: NatsAddress;
  readonly name: string;
}

/** Connects once, within so many milliseconds, by a client that never reconnects. */
export const dial = ({ address, name }: NatsServer, timeoutMs: number): Promise<Client> =>
  connect({
    servers: address.servers,
    ...(address.user !== undefined && { user: address.user, pass: address.pass ?? '' }),
    ...(address.token !== undefined && { token: address.token }),
    ...(address.tls && { tls: {} }),
    name,
    reconnect: false,
    timeout: timeoutMs,
    pingInterval: PING_MS,
    noAsyncTraces: true,
  });

/** What trying again does not mend. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof AuthorizationError ||
  error instanceof UserAuthenticationExpiredError ||
  (error instanceof ConnectionError && error.message.includes("does not support 'tls'"));

/** One sentence for a server that did not let us in within so many milliseconds. */
export const whyNot = ({ address }: NatsServer, withinMs: number, error: unknown): string => {
  const where = address.servers.join(', ');
  if (isRefusal(error)) return `BUS_URL: the NATS server at ${where} does not let us in: ${error.message}.`;
  return `BUS_URL: no NATS server answered at ${where} within ${String(withinMs / 1000)} s.`;
};
