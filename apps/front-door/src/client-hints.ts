import type { ClientHints } from '@portico/contracts';
import { type McpRequest, isRecord } from './mcp-request.js';

const PROTOCOL = 'io.modelcontextprotocol/';
const isOurs = (key: string): boolean => key.startsWith('portico/') || key.startsWith('djayzone/');
/** Reserved without a prefix: ours to continue, or to map, never to pass on blindly. */
const RESERVED: ReadonlySet<string> = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);

export interface Forwarded {
  readonly client?: ClientHints;
  readonly meta?: Record<string, unknown>;
}

/** What of a request's `_meta` its source may see: what the client is, and the keys that are nobody's reserve. */
export function forwardedMeta({ era, meta }: McpRequest): Forwarded {
  const clientInfo = meta['io.modelcontextprotocol/clientInfo'];
  const clientCapabilities = meta['io.modelcontextprotocol/clientCapabilities'];
  const logLevel = meta['io.modelcontextprotocol/logLevel'];
  let own: Record<string, unknown> | undefined;
  for (const key in meta) {
    if (key.startsWith(PROTOCOL) || RESERVED.has(key) || isOurs(key)) continue;
    own ??= Object.create(null) as Record<string, unknown>;
    own[key] = meta[key];
  }
  return {
    ...(era === 'modern' && {
      client: {
        ...(isRecord(clientInfo) && { clientInfo }),
        ...(isRecord(clientCapabilities) && { clientCapabilities }),
        ...(typeof logLevel === 'string' && { logLevel }),
      },
    }),
    ...(own !== undefined && { meta: own }),
  };
}

/** The fields by which a client retries a request that asked for input; they pass untouched. */
export function inputRetry(params: Readonly<Record<string, unknown>>): {
  inputResponses?: Record<string, unknown>;
  requestState?: string;
} {
  const { inputResponses, requestState } = params;
  return {
    ...(isRecord(inputResponses) && { inputResponses }),
    ...(typeof requestState === 'string' && { requestState }),
  };
}

export const isRetry = ({ inputResponses, requestState }: Readonly<Record<string, unknown>>): boolean =>
  inputResponses !== undefined || requestState !== undefined;
