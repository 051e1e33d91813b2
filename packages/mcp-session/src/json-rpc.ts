import type { RpcError } from '@portico/contracts';

export type JsonObject = Record<string, unknown>;

/** A JSON-RPC answer that has been looked at: a result or an error, never both. */
export type RpcAnswer = { readonly result: JsonObject } | { readonly error: RpcError };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The answer to request `id` that `message` holds; undefined when it holds none. An error may come without an id, when
 * the server could not read it.
 */
export function answerTo(id: number, message: unknown): RpcAnswer | undefined {
  if (!isObject(message) || message.jsonrpc !== '2.0' || 'method' in message) return undefined;
  const { result, error } = message;
  if (message.id === id && error === undefined && isObject(result)) return { result };
  if (message.id !== id && message.id !== null && message.id !== undefined) return undefined;
  if (result !== undefined || !isObject(error)) return undefined;
  if (typeof error.code !== 'number' || !Number.isSafeInteger(error.code)) return undefined;
  const text = typeof error.message === 'string' ? error.message : '';
  return { error: { code: error.code, message: text, ...('data' in error && { data: error.data }) } };
}

/** The answer to what a server asks of us: a `ping` is answered, everything else is not offered. */
export function replyTo(message: JsonObject): string {
  const base = { jsonrpc: '2.0', id: message.id };
  return JSON.stringify(
    message.method === 'ping'
      ? { ...base, result: {} }
      : { ...base, error: { code: -32601, message: 'Method not found' } },
  );
}
