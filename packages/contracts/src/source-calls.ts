import { z } from 'zod';
import type { Call } from './call.js';
import { CataloguePage } from './catalogue.js';
import type { SourceAddress } from './source.js';

/** What the caller's MCP client said of itself; passed on so that a server relies on no capability nobody has. */
export const ClientHints = z.object({
  clientInfo: z.record(z.string(), z.unknown()).optional(),
  clientCapabilities: z.record(z.string(), z.unknown()).optional(),
  logLevel: z.string().optional(),
});
export type ClientHints = z.infer<typeof ClientHints>;

/** A retry of a request that a server answered with `input_required` carries both back, untouched. */
const InputRetry = {
  inputResponses: z.record(z.string(), z.unknown()).optional(),
  requestState: z.string().optional(),
};

/** An MCP result as its source gave it: nothing stripped, nothing interpreted. */
const Result = z.looseObject({
  resultType: z.string().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});

export const ToolCallRequest = z.object({
  /** The tool's name at its source, without any prefix of ours. */
  tool: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()),
  client: ClientHints.optional(),
  /** Caller's `_meta` keys that are neither the protocol's nor ours. */
  meta: z.record(z.string(), z.unknown()).optional(),
  ...InputRetry,
});
export type ToolCallRequest = z.infer<typeof ToolCallRequest>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const absentOr = (value: unknown, fits: (value: unknown) => boolean): boolean => value === undefined || fits(value);

function isToolResult(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { content, structuredContent, resultType, isError, _meta } = value;
  const isBlock = (block: unknown): boolean => isRecord(block) && typeof block['type'] === 'string';
  return (
    (content !== undefined || structuredContent !== undefined || resultType !== undefined) &&
    absentOr(content, (blocks) => Array.isArray(blocks) && blocks.every(isBlock)) &&
    absentOr(resultType, (type) => typeof type === 'string') &&
    absentOr(isError, (flag) => typeof flag === 'boolean') &&
    absentOr(_meta, isRecord)
  );
}

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

const Read = z.object({ uri: z.string().min(1), client: ClientHints.optional(), ...InputRetry });
const ReadResult = Result.extend({ contents: z.array(z.looseObject({ uri: z.string() })).optional() });
const GetPrompt = z.object({
  name: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()).optional(),
  client: ClientHints.optional(),
  ...InputRetry,
});
const PromptResult = Result.extend({ messages: z.array(z.looseObject({ role: z.string() })).optional() });
const Completion = z.object({
  ref: z.looseObject({ type: z.string() }),
  argument: z.object({ name: z.string(), value: z.string() }),
  context: z.record(z.string(), z.unknown()).optional(),
});
const CompletionResult = Result.extend({ completion: z.looseObject({ values: z.array(z.string()) }) });

const Describe = z.object({
  cursor: z.string().optional(),
  /** `true`: ask the source anew instead of answering from what the service remembers. */
  refresh: z.boolean().optional(),
});

export const SourceHealth = z.object({ state: z.enum(['up', 'degraded', 'down']), detail: z.string().optional() });

/** The six things a source answers, whatever stands behind it. Deadlines of the first three come with the catalogue. */
export const callTool = (at: SourceAddress) =>
  ({ subject: `${at}.call-tool`, request: ToolCallRequest, reply: ToolResult, effect: 'write' }) satisfies Call;

export const readResource = (at: SourceAddress) =>
  ({ subject: `${at}.read-resource`, request: Read, reply: ReadResult, effect: 'read' }) satisfies Call;

export const getPrompt = (at: SourceAddress) =>
  ({ subject: `${at}.get-prompt`, request: GetPrompt, reply: PromptResult, effect: 'read' }) satisfies Call;

export const complete = (at: SourceAddress) =>
  ({
    subject: `${at}.complete`,
    request: Completion,
    reply: CompletionResult,
    effect: 'read',
    deadlineMs: 10_000,
  }) satisfies Call;

export const describeSource = (at: SourceAddress) =>
  ({
    subject: `${at}.describe`,
    request: Describe,
    reply: CataloguePage,
    effect: 'read',
    deadlineMs: 20_000,
  }) satisfies Call;

export const sourceHealth = (at: SourceAddress) =>
  ({
    subject: `${at}.health`,
    request: z.object({}),
    reply: SourceHealth,
    effect: 'read',
    deadlineMs: 5_000,
  }) satisfies Call;
