import {
  type Call,
  type ServerChange,
  deleteServer,
  eraseAnswers,
  hideTool,
  listKnownServers,
  listServers,
  prewarmServers,
  restoreTool,
  saveServer,
  testServer,
  toggleServer,
} from '@portico/contracts';
import { z } from 'zod';

type Change = Call<z.ZodObject, z.ZodType<ServerChange>>;

export type AdminRoute =
  | { readonly method: 'GET'; readonly call: Call }
  /** `body`: what the call takes and nothing else, since a misspelled field must not pass for an absent one. */
  | { readonly method: 'POST'; readonly call: Change; readonly body: z.ZodObject }
  /** Its reply is told as it is, beside `ok`. */
  | {
      readonly method: 'POST';
      readonly call: Call<z.ZodObject, z.ZodObject>;
      readonly body: z.ZodObject;
      readonly told: true;
    };

const read = (call: Call): AdminRoute => ({ method: 'GET', call });
const act = (call: Call<z.ZodObject, z.ZodObject>): AdminRoute => ({
  method: 'POST',
  call,
  body: z.strictObject(call.request.shape),
  told: true,
});
const change = (call: Change): AdminRoute => ({ method: 'POST', call, body: z.strictObject(call.request.shape) });

/** The routes of `/api`, by path: each asks one call of the service concerned. */
export const ADMIN_ROUTES: ReadonlyMap<string, AdminRoute> = new Map([
  ['/api/mcp', read(listServers)],
  ['/api/mcp/catalog', read(listKnownServers)],
  ['/api/mcp/save', change(saveServer)],
  ['/api/mcp/delete', change(deleteServer)],
  ['/api/mcp/toggle', change(toggleServer)],
  ['/api/mcp/tool', change(hideTool)],
  ['/api/mcp/test', change(testServer)],
  ['/api/mcp/prewarm', change(prewarmServers)],
  ['/api/cache/erase', act(eraseAnswers)],
  ['/api/cache/restore', act(restoreTool)],
]);
