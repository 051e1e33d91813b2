import { REVISIONS } from './compose.js';
import type { WireRequest } from './compose.js';
import type { View } from './view.js';

const BOTH_TYPES = 'application/json, text/event-stream';

/**
 * What the SDK is asked in place of a request: the same, but accepting event streams. It answers 406 to 2025 clients
 * that accept JSON alone; the front door answers them in JSON, and all the rest must be the same.
 */
export const askedOfSdk = (request: WireRequest): WireRequest =>
  request.verb === 'POST' ? { ...request, headers: { ...request.headers, Accept: BOTH_TYPES } } : request;

/** A way in which the front door answers otherwise than the SDK does, on purpose. */
export interface IntendedDifference {
  readonly name: string;
  readonly reason: string;
  /** The answer meant in place of the SDK's; undefined where the rule has nothing to say. */
  meant(request: WireRequest, sdk: View): View | undefined;
}

const JSON_TYPE = 'application/json';
const NONE = { contentType: undefined, allow: undefined, session: false, messages: [] } as const;

interface RpcError {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly error: { readonly code: number; readonly data?: Readonly<Record<string, unknown>> };
}

/** The error that an answer consists of, if it is one. */
const errorOf = ({ messages }: View): RpcError | undefined => {
  const [message] = messages;
  const isError = messages.length === 1 && typeof message === 'object' && message !== null && 'error' in message;
  return isError ? (message as RpcError) : undefined;
};

const refusal = (status: number, error: RpcError['error'], id: unknown = null): View => ({
  ...NONE,
  status,
  contentType: JSON_TYPE,
  messages: [{ jsonrpc: '2.0', id, error }],
});

const bodyOf = ({ body = '' }: WireRequest): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
};

const fieldOf = (request: WireRequest, field: 'id' | 'method'): unknown =>
  (bodyOf(request) as Readonly<Record<string, unknown>> | undefined)?.[field];

/**
 * What the front door does otherwise on purpose, applied to the SDK's answer in this order. Each must be met by some
 * request of the comparison, so that none outlives its cause.
 */
export const INTENDED_DIFFERENCES: readonly IntendedDifference[] = [
  {
    name: 'arguments pass exact',
    reason: "the SDK's schema drops an argument named __proto__; what a name means is for the tool to say",
    meant(request, sdk) {
      const args = (bodyOf(request) as { params?: { arguments?: unknown } } | undefined)?.params?.arguments;
      if (typeof args !== 'object' || args === null || !Object.hasOwn(args, '__proto__')) return undefined;
      const withoutIt = JSON.stringify({ ...args, ['__proto__']: undefined });
      const [before, after] = [withoutIt, JSON.stringify(args)].map((text) => JSON.stringify(text).slice(1, -1));
      const messages = JSON.stringify(sdk.messages).replaceAll(before as string, () => after as string);
      return { ...sdk, messages: JSON.parse(messages) as View['messages'] };
    },
  },
  {
    name: 'json for 2025',
    reason: 'One message is answered as JSON: both revisions allow it, and it costs a tenth of an event stream.',
    meant: (_, sdk) =>
      sdk.contentType === 'text/event-stream' && sdk.messages.length === 1
        ? { ...sdk, contentType: JSON_TYPE }
        : undefined,
  },
  {
    name: 'batches',
    reason: 'No revision served here has batches (FD-1); the SDK still takes them from 2025 clients.',
    meant: (request) => (Array.isArray(bodyOf(request)) ? refusal(400, { code: -32600 }) : undefined),
  },
  {
    name: 'responses of clients',
    reason: 'Where clients have none to give (2026-07-28), one is an Invalid Request; the SDK says -32000.',
    meant: (request, sdk) => {
      const isResponse = fieldOf(request, 'method') === undefined && errorOf(sdk)?.error.code === -32000;
      const modern = request.headers['MCP-Protocol-Version'] === REVISIONS[0];
      return isResponse && modern && sdk.status === 400 ? refusal(400, { code: -32600 }) : undefined;
    },
  },
  {
    name: 'preflight',
    reason:
      'Pages of an allowed origin may call (FD-4), for which a browser asks first; the SDK leaves that to others.',
    meant: ({ verb, headers }, sdk) =>
      verb === 'OPTIONS' && headers['Origin'] !== undefined && sdk.status === 405
        ? { ...NONE, status: 204 }
        : undefined,
  },
  {
    name: 'invalid params',
    reason: "Params of the wrong shape are the caller's mistake, -32602; the SDK answers Internal error.",
    meant: (_, sdk) => {
      const found = errorOf(sdk);
      if (sdk.status !== 200 || found?.error.code !== -32603) return undefined;
      return { ...sdk, messages: [{ ...found, error: { code: -32602 } }] };
    },
  },
  {
    name: 'session ids',
    reason: 'A signed id is given with initialize (FD-26); the SDK without sessions gives none.',
    meant: (request, sdk) =>
      fieldOf(request, 'method') === 'initialize' && sdk.status === 200 && !errorOf(sdk)
        ? { ...sdk, session: true }
        : undefined,
  },
  {
    name: 'all revisions named',
    reason: 'A refused revision is answered with all that are served (FD-2); the SDK names those of one era.',
    meant: (_, sdk) => {
      const found = errorOf(sdk);
      if (found?.error.code !== -32022) return undefined;
      const data = { ...found.error.data, supported: [...REVISIONS] };
      return { ...sdk, messages: [{ ...found, error: { code: -32022, data } }] };
    },
  },
  {
    name: 'all revisions announced',
    reason: 'Discovery announces what refusals name and what is served (FD-2); the SDK announces those of one era.',
    meant: (request, sdk) => {
      const [message] = sdk.messages as readonly { result?: { supportedVersions?: unknown } }[];
      if (fieldOf(request, 'method') !== 'server/discover' || !message?.result?.supportedVersions) return undefined;
      return { ...sdk, messages: [{ ...message, result: { ...message.result, supportedVersions: [...REVISIONS] } }] };
    },
  },
  {
    name: 'revision in the header alone',
    reason: 'So is a revision that only the header names, with the id of the request (FD-2).',
    meant: (request, sdk) => {
      const requested = request.headers['MCP-Protocol-Version'];
      const named = requested !== undefined && !REVISIONS.some((revision) => revision === requested);
      const code = errorOf(sdk)?.error.code;
      if (!named || sdk.status !== 400 || (code !== -32000 && code !== -32602)) return undefined;
      const data = { supported: [...REVISIONS], requested };
      return refusal(400, { code: code === -32602 ? -32022 : -32000, data }, fieldOf(request, 'id'));
    },
  },
  {
    name: 'byte order marks',
    reason: 'JSON on the wire has none (RFC 8259), so more than one is no JSON; the SDK drops two.',
    meant: ({ body }, sdk) =>
      body?.startsWith('\ufeff') && sdk.status === 400 ? refusal(400, { code: -32700 }) : undefined,
  },
];
