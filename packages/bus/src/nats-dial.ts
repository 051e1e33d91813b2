import { isIP } from 'node:net';
import { AuthorizationError, ConnectionError, UserAuthenticationExpiredError, connect } from '@nats-io/transport-node';
import type { NatsConnection as Client, TlsOptions } from '@nats-io/transport-node';
import type { NatsAddress } from './nats-address.js';

const PING_MS = 15_000;

/** Where NATS is, and as whom we come. */
export interface NatsServer {
  /** As it is now: read at each dial. */
  address(): NatsAddress;
  readonly name: string;
}

/** Connects once, within so many milliseconds, by a client that never reconnects. */
export const dial = async ({ address: now, name }: NatsServer, timeoutMs: number): Promise<Client> => {
  const address = now();
  return connect({
    servers: address.servers,
    ...(address.user !== undefined && { user: address.user, pass: address.pass ?? '' }),
    ...(address.token !== undefined && { token: address.token }),
    ...(address.tls && { tls: tlsOf(address) }),
    name,
    reconnect: false,
    timeout: timeoutMs,
    pingInterval: PING_MS,
    noAsyncTraces: true,
  });
};

/** What Node has against a server's certificate, wherever in the client's error it says so. */
const certificateProblem = (error: unknown): string | undefined => {
  for (let one = error; typeof one === 'object' && one !== null;) {
    const { code = '', message = '', cause } = one as Partial<NodeJS.ErrnoException>;
    if (/CERT|SIGNATURE|ERR_TLS/.test(code)) return code;
    if (/certificate/i.test(message)) return message;
    one = cause;
  }
  return undefined;
};

/** A server that is named by its number alone has a certificate of that number; the client would look for `localhost` in it. */
const tlsOf = ({ caFile, servers: [first = '', ...others] }: NatsAddress): TlsOptions => {
  const host = first.slice(0, first.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return {
    ...(caFile !== undefined && { caFile }),
    ...(others.length === 0 && isIP(host) !== 0 && { host }),
  };
};

/** What trying again does not mend. */
export const isRefusal = (error: unknown): error is Error =>
  certificateProblem(error) !== undefined ||
  error instanceof AuthorizationError ||
  error instanceof UserAuthenticationExpiredError ||
  (error instanceof ConnectionError && error.message.includes("does not support 'tls'"));

/** One sentence for a server that did not let us in within so many milliseconds. */
export const whyNot = ({ address: now }: NatsServer, withinMs: number, error: unknown): string => {
  const address = now();
  const where = address.servers.join(', ');
  const untrusted = certificateProblem(error);
  if (untrusted !== undefined)
    return `BUS_URL: the certificate of the NATS server at ${where} is not trusted by the CA that it names (${untrusted}).`;
  if (isRefusal(error)) return `BUS_URL: the NATS server at ${where} does not let us in: ${error.message}.`;
  return `BUS_URL: no NATS server answered at ${where} within ${String(withinMs / 1000)} s.`;
};
