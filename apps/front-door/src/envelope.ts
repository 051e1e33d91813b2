import { ENVELOPE_META_KEY, ENVELOPE_VERSION, Fault } from '@portico/contracts';
import type { CallContext, Envelope, FaultCode, ServedFrom, ToolResult } from '@portico/contracts';
import { legacyResult } from './legacy-result.js';
import type { McpToolResult } from './mcp-tool-result.js';
import type { Era } from './protocol-revisions.js';
import type { PublishedTool } from './published-tool.js';
import { redactedMessage } from './redact.js';
import { errorText, redactedContent, redactedValue } from './redacted-result.js';
import { SERVER_INFO, SERVER_INFO_META_KEY } from './server-info.js';

/** What a call's envelope needs to know of its tool. */
export type CalledTool = Pick<PublishedTool, 'domain' | 'tool' | 'policy' | 'declaresOutput' | 'wrapsOutput'>;

/** What is known of a call when its result is put into the envelope. */
export interface CallFacts {
  readonly tool: CalledTool;
  readonly context: CallContext;
  readonly era: Era;
  readonly servedFrom: ServedFrom;
  /** Milliseconds since the request arrived. */
  readonly durationMs: number;
  /** Of an answer from the cache: how old it is, how like the question was, whether it is past its time. */
  readonly ageMs?: number;
  readonly similarity?: number;
  readonly stale?: boolean;
}

/** Worth asking again, if nothing can have happened the first time. */
const TRANSIENT: ReadonlySet<FaultCode> = new Set(['RATE_LIMITED', 'BACKEND_UNAVAILABLE', 'TIMEOUT']);

const metaOf = ({ tool, context, durationMs, servedFrom, ageMs, similarity, stale }: CallFacts): Envelope['meta'] => ({
  domain: tool.domain,
  tool: tool.tool,
  duration_ms: durationMs,
  correlation_id: context.correlationId,
  ...(context.taskId !== undefined && { task_id: context.taskId }),
  ...(context.agent !== undefined && { agent: context.agent }),
  ...(context.leaseRef !== undefined && { lease_ref: context.leaseRef }),
  served_from: servedFrom,
  ...(ageMs !== undefined && { age_ms: ageMs }),
  ...(similarity !== undefined && { similarity }),
  ...(stale !== undefined && { stale }),
});

const successEnvelope = (facts: CallFacts): Envelope => ({
  contract_version: ENVELOPE_VERSION,
  ok: true,
  error: null,
  meta: metaOf(facts),
});

const failureEnvelope = ({ code, message, executed, retryAfterMs, rpc }: Fault, facts: CallFacts): Envelope => ({
  contract_version: ENVELOPE_VERSION,
  ok: false,
  error: {
    code,
    // What a server itself said of the error helps an agent more than our sentence about it.
    message: redactedMessage(rpc?.message || message),
    executed,
    retryable: TRANSIENT.has(code) && (executed === 'no' || facts.tool.policy.effect === 'read'),
    ...(retryAfterMs !== undefined && { retry_after_ms: Math.max(0, Math.ceil(retryAfterMs)) }),
  },
  meta: metaOf(facts),
});

/** A result's `_meta` with the envelope, and for clients of 2026-07-28 the name of the server that answers them. */
const stamped = (result: ToolResult, envelope: Envelope, era: Era): Record<string, unknown> =>
  era === 'modern'
    ? { ...result._meta, [SERVER_INFO_META_KEY]: SERVER_INFO, [ENVELOPE_META_KEY]: envelope }
    : { ...result._meta, [ENVELOPE_META_KEY]: envelope };

const forClient = (result: McpToolResult, { era, tool }: CallFacts): McpToolResult =>
  era === 'legacy' ? legacyResult(result, tool.wrapsOutput) : result;

/** An error that the tool itself reported: its words redacted and bounded, its content before the envelope. */
const reported = (result: ToolResult, facts: CallFacts): McpToolResult => {
  const envelope = failureEnvelope(new Fault('UNKNOWN_ERROR', errorText(result), { executed: 'yes' }), facts);
  const own = result.structuredContent === undefined ? undefined : redactedValue(result.structuredContent);
  const { structuredContent: _own, content: _content, _meta: meta, ...others } = result;
  const rest = (redactedValue(others) ?? {}) as Omit<ToolResult, 'content'>;
  const structuredContent = own ?? (facts.tool.declaresOutput ? undefined : envelope);
  return {
    ...rest,
    content: [...redactedContent(result.content ?? []), { type: 'text', text: JSON.stringify(envelope) }],
    ...(structuredContent !== undefined && { structuredContent }),
    resultType: 'complete',
    _meta: stamped({ _meta: redactedValue(meta) as ToolResult['_meta'] }, envelope, facts.era),
  };
};

/** The data of a source that sent nothing else. */
export const dataAsText = ({ structuredContent }: ToolResult): { type: 'text'; text: string } => ({
  type: 'text',
  text: JSON.stringify(structuredContent ?? null),
});

/**
 * Puts a tool's result into the envelope without changing the result given. The tool's content stays as it is; the
 * envelope is `structuredContent` only where the tool neither has nor declares any. An error that the tool reports comes
 * out as one; a result that asks for input goes to clients that know such results, exact, and is UNSUPPORTED for others.
 */
export const succeed = (result: ToolResult, facts: CallFacts): McpToolResult => {
  const { resultType } = result;
  if (resultType !== undefined && resultType !== 'complete' && resultType !== 'input_required') {
    // Any other kind belongs to an extension that we did not declare to its source.
    return fail(
      new Fault('UNKNOWN_ERROR', 'The tool answered with a kind of result that is not served here.', {
        executed: 'yes',
      }),
      facts,
    );
  }
  if (resultType === 'input_required') {
    if (facts.era === 'modern') return { ...result, _meta: stamped(result, successEnvelope(facts), facts.era) };
    const message = 'The tool asks for input in a way your client does not speak; revision 2026-07-28 of MCP does.';
    return fail(new Fault('UNSUPPORTED', message, { executed: 'unknown' }), facts);
  }
  if (result.isError === true) return forClient(reported(result, facts), facts);
  const envelope = successEnvelope(facts);
  const hasOutput = result.structuredContent !== undefined || facts.tool.declaresOutput;
  return forClient(
    {
      ...result,
      // The protocol wants content; a source that sent data alone is shown as text too.
      ...(result.content === undefined && { content: [dataAsText(result)] }),
      ...(!hasOutput && { structuredContent: envelope }),
      resultType: 'complete',
      _meta: stamped(result, envelope, facts.era),
    },
    facts,
  );
};

/** A failure of ours, or of a domain, as the result of the tool: `isError`, and the envelope for every kind of reader. */
export const fail = (fault: Fault, facts: CallFacts): McpToolResult => {
  const envelope = failureEnvelope(fault, facts);
  return forClient(
    {
      content: [{ type: 'text', text: JSON.stringify(envelope) }],
      ...(!facts.tool.declaresOutput && { structuredContent: envelope }),
      isError: true,
      resultType: 'complete',
      _meta: stamped({}, envelope, facts.era),
    },
    facts,
  );
};
