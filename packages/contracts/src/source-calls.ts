import { z } from 'zod';
import type { Call } from './call.js';
import { CataloguePage } from './catalogue.js';
import type { SourceAddress } from './source.js';
import { ClientHints, ToolCallRequest, ToolResult } from './tool-call.js';

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
