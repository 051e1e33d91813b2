import { type CallContext, Fault, LEASE_REF_META_KEY, type ToolResult } from '@portico/contracts';
import { type Span, below } from '@portico/observe';
import type { Served } from './cache/response-cache.js';
import { isRetry } from './client-hints.js';
import { correlationOf } from './context/call-context.js';
import { type CallFacts, type CalledTool, fail, succeed } from './envelope.js';
import { faultToRpc } from './fault-to-rpc.js';
import type { FrontDoor } from './front-door.js';
import type { Answer, McpRequest } from './mcp-request.js';
import type { McpToolResult } from './mcp-tool-result.js';
import { beginOperation } from './operation-span.js';
import { outcomeOf } from './receipts/receipts.js';
import { envelopeOf, resultJson } from './result-json.js';

/** The one domain that may say which lease a call acquired. */
const TASK_DOMAIN = 'task';
const GATEWAY_DOMAIN = 'gateway';

/** How a call ends, well or not: in its envelope, as text, and with its receipt. Exactly one of its methods is called, once. */
export class CallEnding {
  /** What the call runs in, as soon as it is known. */
  context: CallContext | undefined;
  /** Undefined while nothing is traced. */
  private span: Span | undefined;

  constructor(
    private readonly tool: CalledTool,
    private readonly request: McpRequest,
    private readonly door: FrontDoor,
    /** By `performance.now()`. */
    private readonly startedAt: number,
  ) {}

  /** From here on the call is a span, of a tool that is published, and whoever is asked for it is below that. */
  trace(tool: string): void {
    if (this.context === undefined) return;
    this.span = beginOperation('tools/call', tool, this.context, this.startedAt);
    this.context = below(this.span, this.context);
  }

  succeeded(served: Served): Answer {
    const result = this.tool.domain === TASK_DOMAIN ? this.withLease(served.result) : served.result;
    const facts = this.facts(served);
    const answer = succeed(result, facts);
    const json = resultJson(answer);
    // What there is may be told however much it is, as lists are.
    const limit = this.tool.domain === GATEWAY_DOMAIN ? Infinity : this.door.resultLimitBytes;
    // A character is one to three bytes, so most results need no exact count.
    const bytes = json.length * 3 <= limit ? 0 : Buffer.byteLength(json);
    if (bytes > limit) {
      const message = `The result has ${bytes} bytes; at most ${limit} are passed on. Ask for less.`;
      return this.failed(
        new Fault('PAYLOAD_TOO_LARGE', message, { executed: served.servedFrom === 'backend' ? 'yes' : 'no' }),
        served,
      );
    }
    return this.ended(answer, json, facts);
  }

  failed(fault: Fault, served?: Served): Answer {
    if (fault.cause !== undefined && fault.code !== 'CANCELLED') {
      const { domain, tool } = this.tool;
      const correlationId = this.context?.correlationId;
      this.door.log.warn('call.failed', { domain, tool, code: fault.code, correlationId, error: fault.cause });
    }
    const facts = this.facts(served);
    const answer = fail(fault, facts);
    const ended = this.ended(answer, resultJson(answer), facts);
    return faultToRpc(fault, { era: this.request.era, retry: isRetry(this.request.params) }) ?? ended;
  }

  /** The request as such is wrong: there was no call. */
  refused(error: Omit<Extract<Answer, { kind: 'error' }>, 'kind'>): Answer {
    this.span?.end('INVALID_ARGUMENTS');
    return { kind: 'error', ...error };
  }

  private ended(answer: McpToolResult, json: string, { context, durationMs, servedFrom }: CallFacts): Answer {
    const outcome = outcomeOf(envelopeOf(answer));
    this.door.receipts.write(this.tool, context, outcome, durationMs, servedFrom);
    this.door.metrics.ended(this.tool.domain, outcome.code, servedFrom, durationMs);
    this.span?.set('portico.served_from', servedFrom);
    this.span?.end(outcome.code === 'OK' ? undefined : outcome.code);
    return { kind: 'result', json };
  }

  private facts(served?: Served): CallFacts {
    const { tenant, subject } = this.request.principal;
    return {
      tool: this.tool,
      context: this.context ?? { correlationId: correlationOf(this.request), principal: { tenant, subject } },
      era: this.request.era,
      servedFrom: served?.servedFrom ?? 'backend',
      ...(served?.ageMs !== undefined && { ageMs: served.ageMs }),
      ...(served?.similarity !== undefined && { similarity: served.similarity }),
      durationMs: Math.round((performance.now() - this.startedAt) * 1000) / 1000,
    };
  }

  /** The lease that was really acquired takes the place of one that was only hinted at. */
  private withLease(result: ToolResult): ToolResult {
    const { [LEASE_REF_META_KEY]: ref, ...meta } = result._meta ?? {};
    if (typeof ref !== 'string' || this.context === undefined) return result;
    this.context = { ...this.context, leaseRef: ref };
    return { ...result, _meta: meta };
  }
}
