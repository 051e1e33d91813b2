import { randomUUID } from 'node:crypto';

type Part = Record<string, unknown>;

/** A Webhook node as its editor writes it. */
export const webhook = (parameters: Part = {}, rest: Part = {}) => ({
  id: randomUUID(),
  name: 'Webhook',
  type: 'n8n-nodes-base.webhook',
  typeVersion: 2,
  position: [0, 0],
  webhookId: randomUUID(),
  parameters: { httpMethod: 'POST', path: 'orders', responseMode: 'lastNode', options: {}, ...parameters },
  ...rest,
});

export const node = (name: string, type: string, parameters: Part = {}) => ({
  id: randomUUID(),
  name,
  type,
  typeVersion: 1,
  position: [200, 0],
  parameters,
});

/** A Webhook that asks for authentication, with a credential for it. */
export const closedWebhook = (path: string, rest: Part = {}) =>
  webhook(
    { path, authentication: 'headerAuth' },
    { credentials: { httpHeaderAuth: { id: 'cred1', name: 'Header' } }, ...rest },
  );
