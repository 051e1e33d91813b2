import { createHash } from 'node:crypto';
import type { Incoming } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type { HeldSession } from '@portico/mcp-session';
import { closeTogether } from '../closed.js';
import { PrincipalSessions } from './principal-sessions.js';

export interface ServerSessionsOptions {
  readonly server: string;
  readonly scope: 'shared' | 'per-principal';
  readonly limit: number;
  readonly idleMs: number;
  open(): HeldSession;
  onClosed?(key: string): void;
}

/** The sessions to one server: one for all, or one for each caller and one more, which no caller uses, to read what it publishes. */
export class ServerSessions {
  /** What the server publishes is read here; a shared server is called here too. */
  readonly common: HeldSession;
  readonly #principals: PrincipalSessions | undefined;

  constructor(private readonly options: ServerSessionsOptions) {
    this.common = options.open();
    if (options.scope === 'per-principal') this.#principals = new PrincipalSessions(options);
  }

  /**
   * Names what a caller's session is held by. Throws UNAUTHENTICATED for a call without a principal where each has its own:
   * it would share what must not be shared.
   */
  keyOf({ context }: Pick<Incoming, 'context'>): string {
    const { server, scope } = this.options;
    if (scope === 'shared') return server;
    if (context === undefined) {
      throw new Fault('UNAUTHENTICATED', `The server "${server}" takes no call without a caller.`, { executed: 'no' });
    }
    const { tenant, subject } = context.principal;
    const principal = createHash('sha256')
      .update(JSON.stringify([tenant, subject]))
      .digest('hex')
      .slice(0, 32);
    return `${server}/${principal}`;
  }

  /** Uses the session that is the caller's to use. */
  use<Value>(incoming: Incoming, act: (session: HeldSession) => Promise<Value>): Promise<Value> {
    if (this.#principals === undefined) return act(this.common);
    return this.#principals.use(this.keyOf(incoming), act);
  }

  /** Ends the session of one caller. */
  end(key: string): Promise<void> {
    return this.#principals?.end(key) ?? Promise.resolve();
  }

  async close(): Promise<void> {
    await closeTogether(this.#principals === undefined ? [this.common] : [this.common, this.#principals]);
  }
}
