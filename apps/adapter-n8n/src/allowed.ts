import { Fault } from '@portico/contracts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Allowed {
  readonly method: Method;
  readonly path: RegExp;
  /** All that its body may have. */
  readonly fields?: readonly string[];
}

const ID = '[A-Za-z0-9_-]{1,64}';

/**
 * All of n8n's API that may be asked. There is no update of a workflow and nothing that writes a tag: n8n's own key can
 * not be trusted with that, as the community edition gives every key every scope.
 */
const ALLOWED: readonly Allowed[] = [
  { method: 'GET', path: /^\/workflows$/ },
  { method: 'GET', path: new RegExp(`^/workflows/${ID}$`) },
  { method: 'POST', path: /^\/workflows$/, fields: ['name', 'nodes', 'connections', 'settings'] },
  { method: 'POST', path: new RegExp(`^/workflows/${ID}/activate$`), fields: ['versionId'] },
  { method: 'POST', path: new RegExp(`^/workflows/${ID}/deactivate$`), fields: [] },
  { method: 'GET', path: /^\/executions$/ },
  { method: 'GET', path: /^\/executions\/[0-9]{1,20}$/ },
];

/** Throws PERMISSION_DENIED (`executed: no`) for what is not on the list. `path` is behind `/api/v1`, without a query. */
export function refuseUnlessAllowed(method: string, path: string, body: object | undefined): void {
  const allowed = ALLOWED.find((each) => each.method === method && each.path.test(path));
  const fields = Object.keys(body ?? {});
  if (allowed && fields.every((field) => allowed.fields?.includes(field))) return;
  throw new Fault('PERMISSION_DENIED', 'This is not among what the gateway may ask of n8n.', { executed: 'no' });
}
