import type { ServerFacts, SessionParts } from './connection.js';
import { isObject } from './json-rpc.js';
import type { JsonObject } from './json-rpc.js';
import { LEGACY_ACCEPTED, LEGACY_OFFER, MODERN } from './revisions.js';

/**
 * What we say in `initialize`. No capability: a server of that era shares its session among all our callers, so nobody
 * could answer its questions for the right one.
 */
export const initializeParams = (parts: SessionParts): JsonObject => ({
  protocolVersion: LEGACY_OFFER,
  capabilities: {},
  clientInfo: parts.clientInfo,
});

/** What the answer to `initialize` says of the server. Throws a Fault when it is no such answer, or of no revision of ours. */
export function legacyFacts(result: JsonObject, { faults }: SessionParts): ServerFacts {
  const { protocolVersion } = result;
  if (typeof protocolVersion !== 'string') throw faults.garbage();
  if (!LEGACY_ACCEPTED.has(protocolVersion)) throw faults.noCommonRevision();
  return { era: 'legacy', protocolVersion, ...saidOfItself(result, result.serverInfo) };
}

/** What the answer to `server/discover` says of the server; undefined when it does not speak 2026-07-28. */
export function modernFacts(result: JsonObject): ServerFacts | undefined {
  if (!Array.isArray(result.supportedVersions) || !result.supportedVersions.includes(MODERN)) return undefined;
  const meta = isObject(result._meta) ? result._meta : {};
  const { ttlMs, cacheScope } = result;
  return {
    era: 'modern',
    protocolVersion: MODERN,
    ...saidOfItself(result, meta['io.modelcontextprotocol/serverInfo'] ?? result.serverInfo),
    ...(typeof ttlMs === 'number' && ttlMs >= 0 && { ttlMs }),
    ...((cacheScope === 'public' || cacheScope === 'private') && { cacheScope }),
  };
}

/** A server that is only said to speak 2026-07-28: what it offers shows when it is asked. */
export const PINNED_FACTS: ServerFacts = { era: 'modern', protocolVersion: MODERN, capabilities: {} };

const saidOfItself = (result: JsonObject, serverInfo: unknown) => ({
  capabilities: isObject(result.capabilities) ? result.capabilities : {},
  ...(isObject(serverInfo) && { serverInfo }),
  ...(typeof result.instructions === 'string' && { instructions: result.instructions }),
});
