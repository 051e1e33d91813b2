import { type CallContext, Fault, type StopSignal, type ToolResult, callTool } from '@portico/contracts';
import { authorise } from './authorise.js';
import { isCacheable } from './cache/question.js';
import { CallEnding } from './call-ending.js';
import { forwardedMeta, inputRetry } from './client-hints.js';
import { takeContext } from './context/call-context.js';
import { ownArguments } from './context/own-arguments.js';
import type { FrontDoor } from './front-door.js';
import { guardLease } from './lease-guard.js';
import { type Answer, type McpRequest, invalidParams, isRecord } from './mcp-request.js';
import { checkParamHeaders } from './param-headers.js';
import type { PublishedTool } from './published-tool.js';
import { knownTool, seekTool } from './resolve-tool.js';
import { HEADER_MISMATCH } from './standard-headers.js';

/**
 * The path of one tools/call, straight down: name, context, access, headers, lease, cache, dispatch, envelope, receipt. No
 * step calls back up.
 */
export async function toolCall(request: McpRequest, door: FrontDoor): Promise<Answer> {
  const startedAt = performance.now();
  const { name, arguments: given = {} } = request.params;
  if (typeof name !== 'string') return invalidParams('name must be a string.');
  if (!isRecord(given)) return invalidParams('arguments must be an object.');

  const resolved = knownTool(name, door) ?? (await seekTool(name, request.signal, door));
  if (resolved.kind === 'refused') return resolved.answer;
  const ending = new CallEnding(resolved.tool, request, door, startedAt);
  try {
    const { args, hints, task } = ownArguments(given, resolved.tool.taken);
    ending.context = takeContext(request, hints);
    if (resolved.kind === 'silent') throw silent(resolved.tool.domain);
    const { tool } = resolved;
    authorise(tool, tool.shown, request, door);
    const mismatch =
      request.era === 'modern' ? checkParamHeaders(tool.paramHeaders, given, request.headers) : undefined;
    if (mismatch !== undefined) return { kind: 'error', status: 400, code: HEADER_MISMATCH, ...mismatch };
    if (tool.policy.lease !== undefined) ending.context = await guardLease(tool, args, task, ending.context, door);
    const { context } = ending;
    const run = (signal: StopSignal): Promise<ToolResult> => dispatch(tool, args, context, request, signal, door);
    if (!isCacheable(tool)) return ending.succeeded({ result: await run(request.signal), servedFrom: 'backend' });
    const found = await door.cache.lookUp(tool, args, request);
    if (found.kind === 'hit') return ending.succeeded(found.served);
    const served = await door.cache.run(found, request, run);
    door.cache.keep(found, tool, served);
    return ending.succeeded(served);
  } catch (error) {
    return ending.failed(Fault.from(error));
  }
}

const silent = (domain: string): Fault =>
  new Fault('BACKEND_UNAVAILABLE', `${domain || 'The domain'} does not answer, so its tools are not known yet.`, {
    executed: 'no',
  });

/** Asks the tool's source, once, with the deadline its catalogue entry gives it; then drops what that made stale. */
async function dispatch(
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
  try {
    return await breakers.run(tool.address, () =>
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
}
