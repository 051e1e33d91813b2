import type { LookupFunction } from 'node:net';
import type { StopSignal } from '@portico/contracts';

/**
 * A target, or how it is made anew for each connection: secrets are read and checks made only then. What it throws is
 * thrown by the call that needed the connection (a Fault as it is), `executed: no`.
 */
export type TargetSource = ServerTarget | (() => Promise<ServerTarget>);

/** Where an MCP server is: a process to start, or a Streamable HTTP endpoint. */
export type ServerTarget = StdioTarget | HttpTarget;

export interface StdioTarget {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process: nothing of ours is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpTarget {
  readonly transport: 'http';
  readonly url: string;
  /** Sent with every request, authorization included; they can not replace the protocol's own. */
  readonly headers: Readonly<Record<string, string>>;
  /** Used for every connection in place of `dns.lookup`; it may refuse an address by an error. */
  readonly lookup?: LookupFunction;
  /** Gives the `Authorization` of each request, in place of one among `headers`. */
  readonly authorization?: Authorization;
  /** `2026-07-28`: the server is known to speak it, discovery is skipped. Default `auto`. */
  readonly protocol?: 'auto' | '2026-07-28';
}

/** Credentials that age. What its methods reject with is what the request fails with: `executed: no`. */
export interface Authorization {
  /** The value to send now. */
  current(signal: StopSignal): Promise<string>;
  /** A newer one after a server refused `refused` with 401; the same when there is none. */
  renewed(refused: string, signal: StopSignal): Promise<string>;
}

/** How a session tells what it notices; the log of `@portico/observe` fits. Never given arguments, results or secrets. */
export interface SessionLog {
  debug(event: string, fields?: Record<string, unknown>): void;
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

export const SILENT: SessionLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
