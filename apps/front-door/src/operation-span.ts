import type { CallContext } from '@portico/contracts';
import { type Span, below, beginSpan, inSpan } from '@portico/observe';

/**
 * The span of one thing that an agent asked for: below the agent's own, under the names of OpenTelemetry's conventions for MCP.
 * `target`: the tool's or prompt's full name. Undefined while nothing is traced.
 */
export function beginOperation(
  method: 'tools/call',
  target: string,
  context: CallContext,
  startedAt: number,
): Span | undefined {
  const span = beginSpan('server', method, target, context.traceparent, startedAt);
  if (span === undefined) return undefined;
  named(span, method, context);
  span.set('gen_ai.operation.name', 'execute_tool');
  span.set('gen_ai.tool.name', target);
  return span;
}

/** Does what an agent asked for in a span of its own, handing on the context below it. */
export const inOperation = <Value>(
  method: 'resources/read' | 'prompts/get',
  target: string,
  context: CallContext,
  work: (context: CallContext) => Promise<Value>,
): Promise<Value> =>
  inSpan('server', method, target, context.traceparent, (span) => {
    if (span === undefined) return work(context);
    named(span, method, context);
    if (method === 'prompts/get') span.set('gen_ai.prompt.name', target);
    return work(below(span, context));
  });

function named(span: Span, method: string, { correlationId }: CallContext): void {
  span.set('mcp.method.name', method);
  span.set('portico.correlation_id', correlationId);
}
