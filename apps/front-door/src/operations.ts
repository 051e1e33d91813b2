import { completeArgument } from './complete-argument.js';
import { discover } from './discover.js';
import type { FrontDoor } from './front-door.js';
import { getPrompt } from './get-prompt.js';
import { LISTS, list } from './list.js';
import type { ListMethod } from './published-catalogue.js';
import type { Answer, McpRequest } from './mcp-request.js';
import { readResource } from './read-resource.js';
import { toolCall } from './tool-call.js';

export type Operation = (request: McpRequest, door: FrontDoor) => Promise<Answer>;

/** The methods that are ours to answer, in either era. A Map, so that no method name finds something of Object's. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['tools/call', toolCall],
  ['server/discover', discover],
  ['resources/read', readResource],
  ['prompts/get', getPrompt],
  ['completion/complete', completeArgument],
  ...(Object.keys(LISTS) as ListMethod[]).map((method): [string, Operation] => [
    method,
    (request, door) => list(method, request, door),
  ]),
]);
