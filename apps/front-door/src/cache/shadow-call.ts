import { randomUUID } from 'node:crypto';
import { type CallContext, Fault, Stop, type ToolResult } from '@portico/contracts';
import { dispatch } from '../dispatch.js';
import type { FrontDoor } from '../front-door.js';
import type { McpRequest } from '../mcp-request.js';
import type { PublishedTool } from '../published-tool.js';
import type { Outcome } from '../receipts/receipts.js';

/** A read that is run to check an answer which was given already: nobody hears of it, and its receipt says what it is. */
export async function shadowCall(
  tool: PublishedTool,
  args: Record<string, unknown>,
  { principal, traceparent }: CallContext,
  request: McpRequest,
  door: FrontDoor,
): Promise<ToolResult> {
  const context = { correlationId: randomUUID(), principal, ...(traceparent !== undefined && { traceparent }) };
  const startedAt = performance.now();
  let outcome: Outcome = { code: 'UNKNOWN_ERROR', executed: 'yes' };
  try {
    const result = await dispatch(tool, args, context, { ...request, notify: undefined }, new Stop(), door);
    if (result.isError !== true) outcome = { code: 'OK', executed: 'yes' };
    return result;
  } catch (error) {
    outcome = Fault.from(error);
    throw error;
  } finally {
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    door.receipts.write(tool, context, outcome, durationMs, 'backend', true);
  }
}
