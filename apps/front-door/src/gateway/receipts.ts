import { ContextId, Fault, type Principal, type Receipt } from '@portico/contracts';
import { z } from 'zod';
import type { GatewayView } from './gateway-view.js';

const RECEIPTS_SCOPE = 'portico:receipts';

/** How `gateway.receipts` is asked: nothing for the newest ones, or those of one correlation or task. */
export const ReceiptsArguments = z.strictObject({
  correlation_id: ContextId.optional().describe('Only the calls of this correlation.'),
  task_id: ContextId.optional().describe('Only the calls for this task.'),
  limit: z.int().min(1).max(1_000).default(100).describe('At most so many, the newest.'),
});

/** What was called for the caller's own tenant, newest first. */
export const receipts = async (
  { correlation_id: correlation, task_id: task, limit }: z.output<typeof ReceiptsArguments>,
  view: GatewayView,
  { tenant, scopes }: Principal,
): Promise<{ receipts: readonly Receipt[] }> => {
  if (!scopes.includes('*') && !scopes.includes(RECEIPTS_SCOPE))
    throw new Fault('PERMISSION_DENIED', `Receipts are for callers with the scope ${RECEIPTS_SCOPE}.`, {
      executed: 'no',
    });
  const kept = await view.receipts(tenant);
  const asked = kept.filter(
    (receipt) =>
      (correlation === undefined || receipt.correlation_id === correlation) &&
      (task === undefined || receipt.task_id === task),
  );
  return { receipts: asked.slice(0, limit) };
};
