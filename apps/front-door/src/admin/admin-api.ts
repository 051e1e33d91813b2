import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bus } from '@portico/bus';
import { Fault, Stop } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { type AdminAnswer, changeAnswer, faultAnswer, refusal, sendAnswer } from './admin-answer.js';
import { readAdminBody } from './admin-body.js';
import { type AdminDoor, guardAdmin } from './admin-guards.js';
import { ADMIN_ROUTES, type AdminRoute } from './admin-routes.js';

export interface AdminApiParts extends AdminDoor {
  readonly bus: Bus;
  readonly bodyLimitBytes: number;
  readonly log: Log;
}

/** Answers what the admin listener serves besides health and metrics: the routes of `/api`, and 404. */
export type AdminApi = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export function adminApi(parts: AdminApiParts): AdminApi {
  return async (req, res) => {
    const answer = await answerTo(req, res, parts).catch((error: unknown) => {
      if (!(error instanceof Fault)) parts.log.error('admin.request-failed', { error });
      return faultAnswer(error);
    });
    if (answer === undefined) res.destroy();
    else sendAnswer(res, answer);
  };
}

/** Undefined when the client has gone. */
async function answerTo(
  req: IncomingMessage,
  res: ServerResponse,
  parts: AdminApiParts,
): Promise<AdminAnswer | undefined> {
  // As it was sent: a path that has to be decoded or resolved first is no route.
  const [path = ''] = (req.url ?? '').split('?', 1);
  if (path !== '/api' && !path.startsWith('/api/')) return notFound();
  const refused = guardAdmin(req, parts);
  if (refused !== undefined) return refused;
  const route = ADMIN_ROUTES.get(path);
  if (route === undefined) return notFound();
  if (req.method !== route.method) {
    const headers = { Allow: route.method };
    return refusal(405, 'UNSUPPORTED', `This route takes ${route.method}.`, { headers });
  }
  const left = new Stop();
  res.once('close', () => left.abort(new Fault('CANCELLED', 'The client has gone.')));
  return ask(route, req, left, parts);
}

async function ask(
  route: AdminRoute,
  req: IncomingMessage,
  signal: Stop,
  { bus, bodyLimitBytes, log }: AdminApiParts,
): Promise<AdminAnswer | undefined> {
  if (route.method === 'GET') return { status: 200, body: await bus.ask(route.call, {}, { signal }) };
  const body = await readAdminBody(req, route.body, bodyLimitBytes);
  if (body === undefined) return undefined;
  if ('refused' in body) return body.refused;
  if ('told' in route) {
    const told = await bus.ask(route.call, body.value, { signal });
    log.info('admin.done', { call: route.call.subject, ...told });
    return { status: 200, body: { ok: true, ...told } };
  }
  const change = await bus.ask(route.call, body.value, { signal });
  if (change.ok) log.info('admin.changed', { call: route.call.subject, server: change.server?.name });
  else log.info('admin.change-refused', { call: route.call.subject, code: change.error.code });
  return changeAnswer(change);
}

const notFound = (): AdminAnswer => refusal(404, 'NOT_FOUND', 'There is no such route.');
