import type { Bus } from '@portico/bus';
import { type CallContext, type Envelope, type Executed, type Receipt, receiptsWritten } from '@portico/contracts';
import type { Log } from '@portico/observe';
import type { ReceiptStore } from './receipt-store.js';

/** Milliseconds in which receipts gather: a write for each would cost more than the rest of its call's ending. */
const GATHER_MS = 5;
/** Most that gather; then they are written at once. */
const MOST_GATHERED = 1_000;

/** How a call ended, as its receipt tells it. */
export interface Outcome {
  readonly code: Receipt['code'];
  readonly executed: Executed;
}

/** The outcome that an envelope tells. */
export const outcomeOf = ({ error, meta }: Envelope): Outcome =>
  error ?? { code: 'OK', executed: meta.served_from === 'backend' ? 'yes' : 'no' };

/**
 * Leaves one receipt of each execution: a line in the log, an event on the bus, and the store that `gateway.receipts` reads.
 * Nobody waits for any of it: what ends within a few milliseconds is written in one go, behind its answers.
 */
export class Receipts {
  private pending: Receipt[] = [];
  private gathering: NodeJS.Timeout | undefined;
  private seq = 0;

  constructor(
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly store: ReceiptStore,
    /** Tells this front door from the others. */
    private readonly frontDoor: string,
  ) {}

  write(
    tool: { readonly domain: string; readonly tool: string },
    context: CallContext,
    { code, executed }: Outcome,
    durationMs: number,
    servedFrom: Receipt['served_from'],
    shadow = false,
  ): void {
    if (this.pending.length === 0) this.gathering = setTimeout(() => void this.flush(), GATHER_MS);
    const { principal, correlationId, taskId, agent, leaseRef } = context;
    this.pending.push({
      at: new Date().toISOString(),
      front_door: this.frontDoor,
      seq: ++this.seq,
      tenant: principal.tenant,
      subject: principal.subject,
      domain: tool.domain,
      tool: tool.tool,
      code,
      executed,
      duration_ms: durationMs,
      served_from: servedFrom,
      ...(shadow && { shadow }),
      correlation_id: correlationId,
      ...(taskId !== undefined && { task_id: taskId }),
      ...(agent !== undefined && { agent }),
      ...(leaseRef !== undefined && { lease_ref: leaseRef }),
    });
    if (this.pending.length >= MOST_GATHERED) void this.flush();
  }

  /** All that is kept of a tenant, newest first, this front door's last ones among them. Throws BACKEND_UNAVAILABLE. */
  async newest(tenant: string): Promise<readonly Receipt[]> {
    await this.flush();
    return this.store.newest(tenant);
  }

  async close(): Promise<void> {
    await this.flush();
    await this.store.close();
  }

  private flush(): Promise<void> {
    const receipts = this.pending;
    // What waits for a store that was away is written when somebody asks, too.
    if (receipts.length === 0) return this.store.append([]);
    this.pending = [];
    clearTimeout(this.gathering);
    this.log.records('call.receipt', receipts);
    this.bus.tell(receiptsWritten, { receipts });
    return this.store.append(receipts);
  }
}
