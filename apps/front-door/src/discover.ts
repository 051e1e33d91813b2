import type { FrontDoor } from './front-door.js';
import type { Answer, McpRequest } from './mcp-request.js';
import { SERVED_REVISIONS } from './protocol-revisions.js';
import { INSTRUCTIONS, SERVER_INFO, SERVER_INFO_META_KEY, capabilitiesFor } from './server-info.js';

/**
 * Answers `server/discover` with every revision that is served. The SDK would announce those of one era, while what a
 * refusal of a revision names and what discovery announces must be the same.
 */
export function discover({ era }: McpRequest, { listTtlMs }: FrontDoor): Promise<Answer> {
  if (era === 'legacy') {
    return Promise.resolve({ kind: 'error', status: 200, code: -32601, message: 'Method not found' });
  }
  const json = JSON.stringify({
    supportedVersions: SERVED_REVISIONS,
    capabilities: capabilitiesFor(era),
    instructions: INSTRUCTIONS,
    resultType: 'complete',
    ttlMs: listTtlMs,
    cacheScope: 'private',
    _meta: { [SERVER_INFO_META_KEY]: SERVER_INFO },
  });
  return Promise.resolve({ kind: 'result', json });
}
