import { BackendClient, path as encoded } from '@portico/domain-kit';
import type { BackendAnswer, BackendRequest, BackendSettings, CallScope } from '@portico/domain-kit';
import type { AdapterN8nConfig } from './config.js';
import { webhookFault } from './faults.js';
import type { WebhookMethod } from './webhooks.js';

/** Milliseconds that a workflow may take to answer, within the call's own deadline. */
export const TRIGGER_TIMEOUT_MS = 120_000;

/** The production webhooks of n8n. What runs there sees every header, so the API's key is never here. */
export class WebhookClient {
  readonly #backend: BackendClient;

  constructor(config: AdapterN8nConfig, log: BackendSettings['log']) {
    this.#backend = new BackendClient({
      name: 'n8n',
      baseUrl: config.webhookUrl,
      headers: { accept: '*/*', 'user-agent': 'portico' },
      timeoutMs: TRIGGER_TIMEOUT_MS,
      faultOf: webhookFault,
      ...(log && { log }),
    });
  }

  /** Sent at most once, a GET as well: it runs a workflow. `segments` are what stands behind `/webhook/`, not yet encoded. */
  call(
    method: WebhookMethod,
    segments: readonly string[],
    { query, body }: { query?: BackendRequest['query']; body?: unknown },
    scope: CallScope,
  ): Promise<BackendAnswer> {
    const path = `/webhook${segments.map((segment) => encoded`/${segment}`).join('')}`;
    return this.#backend.send({
      method,
      path,
      scope,
      ...(query && { query }),
      ...(body !== undefined && { json: body }),
    });
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}
