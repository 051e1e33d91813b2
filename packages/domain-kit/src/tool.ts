import { Fault, ToolResult } from '@portico/contracts';
import type { CatalogueTool, ToolPolicy } from '@portico/contracts';
import { z } from 'zod';
import type { CallScope } from './call-scope.js';
import { checkedArguments } from './checked-arguments.js';

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/** The MCP hints about a tool; those of its effect unless given. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodType | undefined> extends ToolPolicy {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Published as JSON Schema 2020-12. Unknown arguments are refused unless it says otherwise (`z.looseObject`). */
  readonly input: Input;
  /** Given: what `handle` returns is checked against it and published as structured content too. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Record<string, unknown>[];
  readonly meta?: Record<string, unknown>;
  /** Milliseconds a call may take; the domain's own otherwise. */
  readonly callTimeoutMs?: number;
  /** Any JSON value becomes the text of the result; `toolResult` returns one of any other form. */
  handle(args: z.output<Input>, scope: CallScope): HandlerAnswer<Output> | Promise<HandlerAnswer<Output>>;
}

type HandlerAnswer<Output extends z.ZodType | undefined> =
  FullResult | (Output extends z.ZodType ? z.input<Output> : JsonValue);

/** A tool as a domain serves it. */
export interface DomainTool {
  readonly name: string;
  readonly input: z.ZodObject;
  readonly listing: CatalogueTool;
  /** Checks the arguments, runs the handler, checks what it returned. Throws a Fault, or whatever the handler threw. */
  call(args: Record<string, unknown>, scope: CallScope): Promise<ToolResult>;
}

const HINTS = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
} as const;

/** Marks what is a result already: a plain value that merely looks like one is never taken for it. */
const FULL = Symbol('full result');
export interface FullResult {
  readonly [FULL]: ToolResult;
}
export const toolResult = (result: z.input<typeof ToolResult>): FullResult => ({ [FULL]: result as ToolResult });

/** Declares one tool. Throws, in a sentence, when a schema of it cannot be published as JSON Schema. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType | undefined = undefined>(
  spec: ToolSpec<Input, Output>,
): DomainTool {
  const input = spec.input.def.catchall ? spec.input : spec.input.strict();
  return {
    name: spec.name,
    input,
    listing: {
      definition: {
        name: spec.name,
        ...(spec.title !== undefined && { title: spec.title }),
        description: spec.description,
        inputSchema: jsonSchemaOf(spec.name, input, 'input'),
        ...(spec.output && { outputSchema: jsonSchemaOf(spec.name, spec.output, 'output') }),
        annotations: { ...HINTS[spec.effect], ...spec.annotations },
        ...(spec.icons && { icons: spec.icons }),
        ...(spec.meta && { _meta: spec.meta }),
      },
      policy: policyOf(spec),
      ...(spec.callTimeoutMs !== undefined && { callTimeoutMs: spec.callTimeoutMs }),
    },
    async call(args, scope) {
      const answer = await spec.handle((await checkedArguments(input, args)) as z.output<Input>, scope);
      return resultOf(answer, spec.output, (problem) =>
        scope.log.error('tool.bad-answer', { tool: spec.name, problem }),
      );
    },
  };
}

async function resultOf(
  answer: unknown,
  output: z.ZodType | undefined,
  report: (problem: string) => void,
): Promise<ToolResult> {
  // It ran, so the fault says so, whatever became of its answer.
  const refuse = (problem: string): never => {
    report(problem);
    throw new Fault('UNKNOWN_ERROR', 'The tool ran but did not answer as it declares.', { executed: 'yes' });
  };
  if (typeof answer === 'object' && answer !== null && FULL in answer) {
    const result = ToolResult.safeParse((answer as FullResult)[FULL]);
    return result.success ? result.data : refuse(z.prettifyError(result.error));
  }
  const checked = output ? await output.safeParseAsync(answer) : undefined;
  if (checked && !checked.success) return refuse(z.prettifyError(checked.error));
  const value = checked ? checked.data : answer;
  const text = typeof value === 'string' ? value : jsonText(value);
  if (text === undefined) return refuse(`a ${typeof value} is no JSON value`);
  return {
    content: [{ type: 'text', text }],
    // Parsed anew, so that in process and over the wire a caller sees the same plain JSON.
    ...(checked && { structuredContent: typeof value === 'string' ? value : (JSON.parse(text) as unknown) }),
  };
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch {
    return undefined;
  }
}

function jsonSchemaOf(tool: string, schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  try {
    return { ...z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) };
  } catch (error) {
    throw new Error(
      `The ${io} schema of the tool "${tool}" cannot be published as JSON Schema: ${(error as Error).message}`,
    );
  }
}

function policyOf({ effect, staleness, cache, invalidates, lease, decorate }: ToolPolicy): ToolPolicy {
  const given = { effect, staleness, cache, invalidates, lease, decorate };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as unknown as ToolPolicy;
}
