import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '../http-reply.js';
import type { AuthConfig } from './auth-settings.js';
import { CALL_SCOPE } from './principal-names.js';
import { METADATA_PATH, resourceAtHost } from './resource-address.js';

const PATHS: ReadonlySet<string> = new Set([METADATA_PATH, `${METADATA_PATH}/mcp`]);
/** The document is public, and the pages of browser clients read it before they have a token. */
const ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*' };

/**
 * Answers requests for the metadata document (RFC 9728), by which clients find the issuer; false for every other request,
 * and always where callers need no token of an issuer.
 */
export function protectedResourceMetadata(config: AuthConfig): (req: IncomingMessage, res: ServerResponse) => boolean {
  if (config.mode !== 'jwt') return () => false;
  const { resource, issuer, header, defaultScopes } = config;
  return (req, res) => {
    if (!PATHS.has((req.url ?? '').split('?', 1)[0] as string)) return false;
    const address = resource ?? resourceAtHost(req.headers.host);
    if (req.method === 'OPTIONS') {
      const allowed = { 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': 'MCP-Protocol-Version' };
      res.writeHead(204, { ...ANY_ORIGIN, ...allowed }).end();
    } else if (req.method !== 'GET' && req.method !== 'HEAD') {
      sendJson(res, 405, JSON.stringify({ error: 'Method not allowed. Use GET.' }), { Allow: 'GET, HEAD, OPTIONS' });
    } else if (address === undefined) {
      sendJson(res, 400, JSON.stringify({ error: 'The Host header names no host.' }));
    } else {
      const document = {
        resource: address.url,
        authorization_servers: [issuer],
        // In a header of a proxy's own, callers send no token.
        ...(header === 'authorization' && { bearer_methods_supported: ['header'] }),
        // Clients ask the issuer for all of these, and it may know none of them where tokens need not have any.
        ...(!defaultScopes.includes(CALL_SCOPE) && { scopes_supported: [CALL_SCOPE] }),
        resource_name: 'Portico',
      };
      sendJson(res, 200, JSON.stringify(document), ANY_ORIGIN);
    }
    return true;
  };
}
