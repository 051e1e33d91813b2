import { isRecord } from './mcp-request.js';

/** A JSON-RPC request or notification, as far as its method is concerned. */
export interface RpcMessage {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

export interface RpcRequest extends RpcMessage {
  readonly id: string | number;
}

/** The id that an error answers to, as far as one can be read. */
export const idOf = (body: unknown): string | number | null => {
  if (!isRecord(body) || typeof body['method'] !== 'string') return null;
  const { id } = body;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};
