import { z } from 'zod';

/** What the caller's MCP client said of itself; passed on so that a server relies on no capability nobody has. */
export const ClientHints = z.object({
  clientInfo: z.record(z.string(), z.unknown()).optional(),
  clientCapabilities: z.record(z.string(), z.unknown()).optional(),
  logLevel: z.string().optional(),
});
export type ClientHints = z.infer<typeof ClientHints>;

/** A `tools/call` for its source. Checked by hand, as its answer is: the two are looked at on every call. */
export interface ToolCallRequest {
  /** The tool's name at its source, without any prefix of ours. */
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly client?: ClientHints | undefined;
  /** Caller's `_meta` keys that are neither the protocol's nor ours. */
  readonly meta?: Record<string, unknown> | undefined;
  /** A retry of a call that was answered with `input_required` carries both back, untouched. */
  readonly inputResponses?: Record<string, unknown> | undefined;
  readonly requestState?: string | undefined;
}
export const ToolCallRequest = z.custom<ToolCallRequest>(isToolCallRequest, {
  error: 'expected a tool call: tool, arguments, and what a client may send along',
});

/** What a tool answers. Checked by hand, not by a schema: it is looked at on every call, and passes as it is. */
export interface ToolResult {
  readonly resultType?: string | undefined;
  readonly content?: readonly { readonly type: string; readonly [key: string]: unknown }[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: Record<string, unknown> | undefined;
  readonly [key: string]: unknown;
}
export const ToolResult = z.custom<ToolResult>(isToolResult, {
  error: 'expected a tool result: content (blocks with a type), structuredContent or a resultType',
});

/** `_meta` key of a result of which only a part is passed on. */
export const CUT_META_KEY = 'portico/cut';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isString = (value: unknown): value is string => typeof value === 'string';
const absentOr = (value: unknown, fits: (value: unknown) => boolean): boolean => value === undefined || fits(value);

function isToolCallRequest(value: unknown): boolean {
  if (!isRecord(value) || typeof value['tool'] !== 'string' || value['tool'] === '' || !isRecord(value['arguments']))
    return false;
  const { client, meta, inputResponses, requestState } = value;
  const isHints = (hints: unknown): boolean =>
    isRecord(hints) &&
    absentOr(hints['clientInfo'], isRecord) &&
    absentOr(hints['clientCapabilities'], isRecord) &&
    absentOr(hints['logLevel'], isString);
  return (
    absentOr(client, isHints) &&
    absentOr(meta, isRecord) &&
    absentOr(inputResponses, isRecord) &&
    absentOr(requestState, isString)
  );
}

function isToolResult(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { content, structuredContent, resultType, isError, _meta } = value;
  const isBlock = (block: unknown): boolean => isRecord(block) && typeof block['type'] === 'string';
  return (
    (content !== undefined || structuredContent !== undefined || resultType !== undefined) &&
    absentOr(content, (blocks) => Array.isArray(blocks) && blocks.every(isBlock)) &&
    absentOr(resultType, isString) &&
    absentOr(isError, (flag) => typeof flag === 'boolean') &&
    absentOr(_meta, isRecord)
  );
}
