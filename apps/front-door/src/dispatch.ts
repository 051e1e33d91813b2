import { type CallContext, type StopSignal, type ToolResult, callTool } from '@portico/contracts';
import { forwardedMeta, inputRetry } from './client-hints.js';
import type { FrontDoor } from './front-door.js';
import type { McpRequest } from './mcp-request.js';
import type { PublishedTool } from './published-tool.js';
import { announceStale } from './state-sync/announce-stale.js';

/**
 * Asks the tool's source, once, with the deadline its catalogue entry gives it; then drops what that made stale from the cache,
 * and only then says so.
 */
export async function dispatch(
  tool: PublishedTool,
  args: Record<string, unknown>,
  context: CallContext,
  request: McpRequest,
  signal: StopSignal,
  door: FrontDoor,
): Promise<ToolResult> {
  const { bulkhead, breakers, catalogue } = door;
  if (tool.address === catalogue.gateway.address) return catalogue.gateway.call(tool.tool, args, request.principal);
  const full = bulkhead.enter(tool.address, request.principal);
  if (full !== undefined) throw full;
  let result: ToolResult;
  try {
    result = await breakers.run(tool.address, () =>
      door.bus.ask(
        callTool(tool.address),
        { tool: tool.tool, arguments: args, ...forwardedMeta(request), ...inputRetry(request.params) },
        {
          deadlineMs: tool.callTimeoutMs,
          signal,
          context,
          ...(request.notify !== undefined && { onNotice: request.notify }),
        },
      ),
    );
  } finally {
    bulkhead.leave(tool.address, request.principal);
    if (tool.policy.invalidates !== undefined) await door.cache.invalidate(tool, request.principal.tenant);
  }
  return announceStale(tool, result, request.principal.tenant, door);
}
