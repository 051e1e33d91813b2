import { z } from 'zod';
import type { CallScope } from './call-scope.js';
import { checkedArguments } from './checked-arguments.js';
import type { Completers } from './completion.js';
import type { GetPromptResult } from './serve-source.js';

export interface PromptSpec<Arguments extends z.ZodObject> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Every argument is text, as MCP has it; `.describe()` and `.optional()` are published. */
  readonly arguments?: Arguments;
  readonly complete?: Completers;
  /** Text becomes one message of the user. */
  get(args: z.output<Arguments>, scope: CallScope): PromptAnswer | Promise<PromptAnswer>;
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: { readonly type: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}
export type PromptAnswer = string | readonly PromptMessage[];

/** A prompt as a domain serves it. */
export interface DomainPrompt {
  readonly name: string;
  readonly complete: Completers;
  readonly argumentNames: readonly string[];
  readonly listing: { readonly name: string; readonly [key: string]: unknown };
  get(args: Record<string, unknown>, scope: CallScope): Promise<GetPromptResult>;
}

/** Declares one prompt. */
export function definePrompt<Arguments extends z.ZodObject = z.ZodObject<Record<never, never>>>(
  spec: PromptSpec<Arguments>,
): DomainPrompt {
  const schema = (spec.arguments ?? z.object({})).strict();
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  return {
    name: spec.name,
    complete: spec.complete ?? {},
    argumentNames: fields.map(([name]) => name),
    listing: {
      name: spec.name,
      ...(spec.title !== undefined && { title: spec.title }),
      description: spec.description,
      ...(fields.length > 0 && {
        arguments: fields.map(([name, field]) => ({
          name,
          ...(field.description !== undefined && { description: field.description }),
          required: !field.safeParse(undefined).success,
        })),
      }),
    },
    async get(args, scope) {
      const answer = await spec.get((await checkedArguments(schema, args)) as z.output<Arguments>, scope);
      const messages =
        typeof answer === 'string' ? [{ role: 'user', content: { type: 'text', text: answer } }] : [...answer];
      return { description: spec.description, messages };
    },
  };
}
