import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { Result } from '@modelcontextprotocol/server';
import type { Round } from './fixture-item.js';

/** A question that the client, its user or its model answers before the result can be given. */
export interface Question {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: Readonly<Record<string, unknown>>;
}

/** A form for the user; every property is required unless `required` says otherwise. */
export const form = (
  message: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
): Question => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
});

export const sample = (prompt: string, maxTokens = 100): Question => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});

export const listRoots: Question = { method: 'roots/list', params: {} };

/** The interim result that asks; the SDK turns it into plain requests for a client with a 2025 session. */
export const ask = (questions: Readonly<Record<string, Question>>, requestState?: string): Result => ({
  resultType: 'input_required',
  inputRequests: questions,
  ...(requestState !== undefined && { requestState }),
});

/** The client's answer under `key`, if it has given one that is an object. */
export function answer(round: Round, key: string): Readonly<Record<string, unknown>> | undefined {
  const given = (round.context.mcpReq.inputResponses as Record<string, unknown> | undefined)?.[key];
  return isObject(given) ? given : undefined;
}

/** What the user filled in, when they accepted the form. */
export function accepted(round: Round, key: string): Readonly<Record<string, unknown>> | undefined {
  const given = answer(round, key);
  return given?.['action'] === 'accept' && isObject(given['content']) ? given['content'] : undefined;
}

/** The text of a model's answer. */
export function sampled(round: Round, key: string): string | undefined {
  const content = answer(round, key)?.['content'];
  const block: unknown = Array.isArray(content) ? content[0] : content;
  return isObject(block) && typeof block['text'] === 'string' ? block['text'] : undefined;
}

/** Capabilities that a 2026 client declared with this request. */
export function declaredCapabilities(round: Round): Readonly<Record<string, unknown>> {
  const envelope = round.context.mcpReq.envelope as Record<string, unknown> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  return isObject(capabilities) ? capabilities : {};
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
