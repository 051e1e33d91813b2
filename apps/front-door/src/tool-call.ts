import { Fault, type StopSignal, type ToolResult } from '@portico/contracts';
import { authorise } from './authorise.js';
import { isCacheable } from './cache/question.js';
import { shadowCall } from './cache/shadow-call.js';
import { CallEnding } from './call-ending.js';
import { takeContext } from './context/call-context.js';
import { ownArguments } from './context/own-arguments.js';
import { dispatch } from './dispatch.js';
import type { FrontDoor } from './front-door.js';
import { guardLease } from './lease-guard.js';
import { type Answer, type McpRequest, invalidParams, isRecord } from './mcp-request.js';
import { checkParamHeaders } from './param-headers.js';
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
    ending.trace(tool.shown);
    authorise(tool, tool.shown, request, door);
    const mismatch =
      request.era === 'modern' ? checkParamHeaders(tool.paramHeaders, given, request.headers) : undefined;
    if (mismatch !== undefined) return ending.refused({ status: 400, code: HEADER_MISMATCH, ...mismatch });
    if (tool.policy.lease !== undefined) ending.context = await guardLease(tool, args, task, ending.context, door);
    const { context } = ending;
    const run = (signal: StopSignal): Promise<ToolResult> => dispatch(tool, args, context, request, signal, door);
    if (!isCacheable(tool)) return ending.succeeded({ result: await run(request.signal), servedFrom: 'backend' });
    const found = await door.cache.lookUp(tool, args, request);
    if (found.kind === 'hit') {
      door.cache.check(found, tool, args, (checked) => shadowCall(tool, checked, context, request, door));
      return ending.succeeded(found.served);
    }
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
