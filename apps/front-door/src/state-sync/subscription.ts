import type { ServerResponse } from 'node:http';
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { DotGlob, type Principal } from '@portico/contracts';
import { EVENT_STREAM } from '../http-reply.js';
import { SERVER_INFO_JSON, SERVER_INFO_META_KEY } from '../server-info.js';
import type { Honoured } from './listen-filter.js';
import { patternOfUri } from './stale-uri.js';

/** One open `subscriptions/listen` stream: acknowledged when it is made, silent from when it has ended. */
export class Subscription {
  readonly uris: ReadonlySet<string>;
  /** What it wants to hear of when it goes stale. */
  readonly patterns: readonly DotGlob[];
  private readonly id: string;

  constructor(
    private readonly res: ServerResponse,
    id: string | number,
    readonly principal: Principal,
    readonly honoured: Honoured,
  ) {
    const { resourceSubscriptions = [] } = honoured;
    this.uris = new Set(resourceSubscriptions);
    this.patterns = resourceSubscriptions.flatMap((uri) => {
      const pattern = patternOfUri(uri);
      return pattern === undefined ? [] : [new DotGlob(pattern)];
    });
    this.id = JSON.stringify(id);
    res.writeHead(200, EVENT_STREAM);
    this.tell('notifications/subscriptions/acknowledged', { notifications: honoured });
  }

  /** Whether it wants to hear of a stale pattern: one that is within its own, or has it within. */
  hearsOf(stale: DotGlob): boolean {
    return this.patterns.some((pattern) => pattern.covers(stale) || stale.covers(pattern));
  }

  /** Sends a notification. Lost when the client does not read: what it has not read is what waits here for it. */
  tell(method: string, params: Readonly<Record<string, unknown>> = {}): void {
    if (!this.writes()) return;
    const own = JSON.stringify(params).slice(1, -1);
    const meta = `"_meta":{"${SUBSCRIPTION_ID_META_KEY}":${this.id}}`;
    this.event(`{"jsonrpc":"2.0","method":"${method}","params":{${own === '' ? meta : `${own},${meta}`}}}`);
  }

  keepAlive(): void {
    if (this.writes()) this.res.write(': keep-alive\n\n');
  }

  /** Ends it as a request ends that was answered. */
  end(): void {
    if (this.res.writableEnded || this.res.destroyed) return;
    const meta = `{"${SUBSCRIPTION_ID_META_KEY}":${this.id},"${SERVER_INFO_META_KEY}":${SERVER_INFO_JSON}}`;
    this.event(`{"jsonrpc":"2.0","id":${this.id},"result":{"resultType":"complete","_meta":${meta}}}`);
    this.res.end();
  }

  private writes(): boolean {
    return !this.res.writableEnded && !this.res.destroyed && !this.res.writableNeedDrain;
  }

  private event(json: string): void {
    this.res.write(`event: message\ndata: ${json}\n\n`);
  }
}
