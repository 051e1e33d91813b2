import { type Call, type ServerChange, eraseAnswers, restoreTool, serverCalls } from '@portico/contracts';
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
  ['/api/mcp', read(serverCalls.list)],
  ['/api/mcp/catalog', read(serverCalls.catalog)],
  ['/api/mcp/save', change(serverCalls.save)],
  ['/api/mcp/delete', change(serverCalls.delete)],
  ['/api/mcp/toggle', change(serverCalls.toggle)],
  ['/api/mcp/tool', change(serverCalls.tool)],
  ['/api/mcp/test', change(serverCalls.test)],
  ['/api/mcp/prewarm', change(serverCalls.prewarm)],
  ['/api/cache/erase', act(eraseAnswers)],
  ['/api/cache/restore', act(restoreTool)],
]);
