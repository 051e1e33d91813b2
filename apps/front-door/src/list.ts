import type { FrontDoor } from './front-door.js';
import type { ListMethod } from './published-catalogue.js';
import { type Answer, type McpRequest, invalidParams } from './mcp-request.js';
import { SERVER_INFO_JSON, SERVER_INFO_META_KEY } from './server-info.js';

/** The listing methods and the key under which each gives its items. */
export const LISTS: Readonly<Record<ListMethod, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

/** Answers a list in one page, from strings made when the catalogue was published. */
export async function list(method: ListMethod, request: McpRequest, door: FrontDoor): Promise<Answer> {
  if (request.params['cursor'] !== undefined)
    return invalidParams('this cursor was not given here; lists come in one page.');
  const { catalogue, whole } = await door.catalogue.forList();
  const access = door.policy.current.accessOf(request.principal);
  const items = `"${LISTS[method]}":${catalogue.listJson(method, request.era, access)}`;
  if (request.era === 'legacy') return { kind: 'result', json: `{${items}}` };
  // Clients are known to keep an early list for very long: one that may still grow must not be kept at all.
  const ttlMs = whole ? door.listTtlMs : 0;
  return {
    kind: 'result',
    json: `{${items},"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"private","_meta":{"${SERVER_INFO_META_KEY}":${SERVER_INFO_JSON}}}`,
  };
}
