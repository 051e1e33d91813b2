import { type CallContext, Fault, type ToolResult, callTool } from '@portico/contracts';
import { takeContext } from './call-context.js';
import { forwardedMeta, inputRetry, isRetry } from './client-hints.js';
import { type CallFacts, fail, succeed } from './envelope.js';
import { faultToRpc } from './fault-to-rpc.js';
import type { FrontDoor } from './front-door.js';
import { type Answer, type McpRequest, invalidParams, isRecord } from './mcp-request.js';
import { checkParamHeaders } from './param-headers.js';
import type { PublishedTool } from './published-tool.js';
import { knownTool, seekTool } from './resolve-tool.js';
import { HEADER_MISMATCH } from './standard-headers.js';

/** The path of one tools/call, straight down: name, headers, context, dispatch, envelope. No step calls back up. */
export async function toolCall(request: McpRequest, door: FrontDoor): Promise<Answer> {
  const startedAt = performance.now();
  const { name, arguments: args = {} } = request.params;
  if (typeof name !== 'string') return invalidParams('name must be a string.');
  if (!isRecord(args)) return invalidParams('arguments must be an object.');

  const resolved = knownTool(name, door) ?? (await seekTool(name, request.signal, door));
  if (resolved.kind === 'refused') return resolved.answer;
  const context = takeContext(request);
  const facts = (): CallFacts => ({
    tool: resolved.tool,
    context,
    era: request.era,
    servedFrom: 'backend',
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
  });
  if (resolved.kind === 'silent') return failed(silent(resolved.tool.domain), facts());
  const { tool } = resolved;
  const mismatch = request.era === 'modern' ? checkParamHeaders(tool.paramHeaders, args, request.headers) : undefined;
  if (mismatch !== undefined) return { kind: 'error', status: 400, code: HEADER_MISMATCH, ...mismatch };

  try {
    const result = await dispatch(tool, args, context, request, door);
    const answer = succeed(result, facts());
    // What there is may be told however much it is, as lists are.
    if (tool.address === door.catalogue.gateway.address) return { kind: 'result', json: JSON.stringify(answer) };
    return withinLimit(answer, facts, door);
  } catch (error) {
    const fault = Fault.from(error);
    if (fault.cause !== undefined && fault.code !== 'CANCELLED')
      door.log.warn('call.failed', { tool: tool.published, code: fault.code, error: fault.cause });
    return faultToRpc(fault, { era: request.era, retry: isRetry(request.params) }) ?? failed(fault, facts());
  }
}

const failed = (fault: Fault, facts: CallFacts): Answer => ({
  kind: 'result',
  json: JSON.stringify(fail(fault, facts)),
});

const silent = (domain: string): Fault =>
  new Fault('BACKEND_UNAVAILABLE', `${domain || 'The domain'} does not answer, so its tools are not known yet.`, {
    executed: 'no',
  });

/** Asks the tool's source, once, with the deadline its catalogue entry gives it. */
function dispatch(
  tool: PublishedTool,
  args: Record<string, unknown>,
  context: CallContext,
  request: McpRequest,
  door: FrontDoor,
): Promise<ToolResult> {
  const { gateway } = door.catalogue;
  if (tool.address === gateway.address) return gateway.call(tool.tool, args);
  return door.bus.ask(
    callTool(tool.address),
    { tool: tool.tool, arguments: args, ...forwardedMeta(request), ...inputRetry(request.params) },
    {
      deadlineMs: tool.callTimeoutMs,
      signal: request.signal,
      context,
      ...(request.notify !== undefined && { onNotice: request.notify }),
    },
  );
}

/** Serialises a result, or says honestly that it is too large to pass on. */
function withinLimit(result: object, facts: () => CallFacts, door: FrontDoor): Answer {
  const json = JSON.stringify(result);
  // A character is one to three bytes, so most results need no exact count.
  if (json.length * 3 <= door.resultLimitBytes) return { kind: 'result', json };
  const bytes = Buffer.byteLength(json);
  if (bytes <= door.resultLimitBytes) return { kind: 'result', json };
  const fault = new Fault(
    'PAYLOAD_TOO_LARGE',
    `The result has ${bytes} bytes; at most ${door.resultLimitBytes} are passed on. Ask for less.`,
    { executed: 'yes' },
  );
  return failed(fault, facts());
}
