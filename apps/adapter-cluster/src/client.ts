import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@portico/contracts';
import type { ToolCallRequest, ToolResult } from '@portico/contracts';
import type { Incoming } from '@portico/bus';
import { HeldSession } from '@portico/mcp-session';
import type { ServerCatalogue, ServerTarget } from '@portico/mcp-session';
import type { Log } from '@portico/observe';

export const CONNECT_TIMEOUT_MS = 15_000;
/** Pauses between attempts at discovery; as many retries as there are pauses. */
const RETRY_PAUSES_MS = [200, 1_000];

/** The Kubernetes MCP server: the only place that speaks to it. */
export class ClusterClient {
  private readonly session: HeldSession;

  constructor(target: ServerTarget, log: Log) {
    this.session = new HeldSession(target, { name: 'cluster', connectTimeoutMs: CONNECT_TIMEOUT_MS, log });
  }

  /** Asked again, after a pause, when the server is not to be reached: reading a list twice harms nobody. */
  async catalogue(options: { refresh: boolean; signal: AbortSignal }): Promise<ServerCatalogue> {
    for (const pause of RETRY_PAUSES_MS) {
      try {
        return await this.session.catalogue(options);
      } catch (error) {
        if (Fault.from(error).code !== 'BACKEND_UNAVAILABLE' || options.signal.aborted) throw error;
        await sleep(pause, undefined, { signal: options.signal }).catch(() => {
          throw error;
        });
      }
    }
    return this.session.catalogue(options);
  }

  /** Sent once, whatever happens; with the ids of the call. */
  callTool(request: ToolCallRequest, incoming: Incoming): Promise<ToolResult> {
    return this.session.callTool(request, {
      signal: incoming.stop,
      context: incoming.context,
      ...(incoming.wantsNotices && { onNotice: (notice) => incoming.notify(notice) }),
    });
  }

  onChanged(listener: () => void): () => void {
    return this.session.onChanged(listener);
  }

  close(): Promise<void> {
    return this.session.close();
  }
}
