import type { ClientHints } from '@portico/contracts';
import type { Ask, SessionParts } from './connection.js';
import type { JsonObject } from './json-rpc.js';
import { MODERN } from './revisions.js';

const RESERVED = 'io.modelcontextprotocol/';
/** Client capabilities that reach the client through us, by `input_required` or because nobody need do anything. */
const RELAYABLE = ['elicitation', 'sampling', 'roots', 'experimental', 'extensions'] as const;
/** Keys that nobody but us writes: of the context, a raw lease id among them, and of the trace. */
const OURS = /^(?:portico|djayzone)\/|^(?:traceparent|tracestate|baggage|progressToken)$/;
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The `_meta` of a 2026-07-28 request: the caller's own keys, and the protocol's, which only we write. */
export function modernMeta(ask: Ask, parts: SessionParts, progressToken: number | undefined): JsonObject {
  return {
    ...callersOwn(ask.meta),
    [`${RESERVED}protocolVersion`]: MODERN,
    [`${RESERVED}clientInfo`]: ask.client?.clientInfo ?? parts.clientInfo,
    [`${RESERVED}clientCapabilities`]: relayable(ask.client),
    [`${RESERVED}logLevel`]: ask.client?.logLevel,
    progressToken,
  };
}

/** The `_meta` of a request of 2025 and before: the caller's own keys without what that era does not know. */
export function legacyMeta(ask: Ask, progressToken: number | undefined): JsonObject | undefined {
  const own = callersOwn(ask.meta);
  if (own === undefined && progressToken === undefined) return undefined;
  return { ...own, progressToken };
}

/** The front door lets through no other; what a caller could pose by is looked at here too. */
function callersOwn(meta: JsonObject | undefined): JsonObject | undefined {
  if (meta === undefined) return undefined;
  const own = Object.entries(meta).filter(([key]) => !key.startsWith(RESERVED) && !OURS.test(key));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

function relayable(client: ClientHints | undefined): JsonObject {
  const declared = client?.clientCapabilities;
  if (declared === undefined) return {};
  const relayed: JsonObject = {};
  for (const name of RELAYABLE) if (declared[name] !== undefined) relayed[name] = declared[name];
  if (typeof relayed.extensions === 'object' && relayed.extensions !== null && TASKS_EXTENSION in relayed.extensions) {
    relayed.extensions = { ...relayed.extensions, [TASKS_EXTENSION]: undefined };
  }
  return relayed;
}
