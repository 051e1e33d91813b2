import { type CallContext, type StopSignal, type ToolResult, callTool } from '@portico/contracts';
import { askDomain } from './ask-domain.js';
import { forwardedMeta, inputRetry } from './client-hints.js';
import type { FrontDoor } from './front-door.js';
import type { McpRequest } from './mcp-request.js';
import type { PublishedTool } from './published-tool.js';
import { announceStale } from './state-sync/announce-stale.js';

/**
 * Asks the tool's source, once, with the deadline its catalogue entry gives it; then drops what that made stale from the cache,
 * and only then says so. A call that was turned away before it was sent made nothing stale.
 */
export async function dispatch(
  tool: PublishedTool,
  args: Record<string, unknown>,
  context: CallContext,
  request: McpRequest,
  signal: StopSignal,
  door: FrontDoor,
): Promise<ToolResult> {
  const { gateway } = door.catalogue;
  if (tool.address === gateway.address) return gateway.call(tool.tool, args, request.principal);
  let sent = false;
  let result: ToolResult;
  try {
    result = await askDomain(tool.address, request.principal, context, door, (handedOn) => {
      sent = true;
      return door.bus.ask(
        callTool(tool.address),
        { tool: tool.tool, arguments: args, ...forwardedMeta(request), ...inputRetry(request.params) },
        {
          deadlineMs: tool.callTimeoutMs,
          signal,
          context: handedOn,
          ...(request.notify !== undefined && { onNotice: request.notify }),
        },
      );
    });
  } finally {
    if (sent && tool.policy.invalidates !== undefined) await door.cache.invalidate(tool, request.principal.tenant);
  }
  return announceStale(tool, result, request.principal.tenant, door);
}
