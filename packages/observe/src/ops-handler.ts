import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';

export interface OpsOptions {
  readonly readiness: Readiness;
  /** Without it there is no `/metrics`. */
  readonly metrics?: Metrics;
  /** Whether `/readyz` names the reasons: on listeners that only operators reach. */
  readonly showReasons: boolean;
}

/** Answers a request for `/healthz`, `/readyz` or `/metrics`; false when the request is for something else. */
export type OpsHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The operators' routes for any `node:http` server: alive, ready (503 while starting or draining), and Prometheus text. */
export function opsHandler({ readiness, metrics, showReasons }: OpsOptions): OpsHandler {
  const routes = new Map<string, (response: ServerResponse) => void>([
    ['/healthz', (response) => json(response, 200, { status: 'ok' })],
    [
      '/readyz',
      (response) => {
        const reasons = readiness.reasons();
        if (reasons.length === 0) return json(response, 200, { status: 'ok' });
        json(response, 503, { status: 'unavailable', ...(showReasons && { reasons }) });
      },
    ],
  ]);
  if (metrics) routes.set('/metrics', (response) => void sendMetrics(response, metrics));

  return (request, response) => {
    const route = routes.get(pathOf(request));
    if (!route) return false;
    if (request.method === 'GET' || request.method === 'HEAD') route(response);
    else json(response.setHeader('Allow', 'GET, HEAD'), 405, { status: 'method not allowed' });
    return true;
  };
}

const pathOf = ({ url = '/' }: IncomingMessage): string => {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
};

const json = (response: ServerResponse, status: number, body: object): void =>
  send(response, status, 'application/json', JSON.stringify(body));

const send = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
};

async function sendMetrics(response: ServerResponse, metrics: Metrics): Promise<void> {
  try {
    send(response, 200, metrics.contentType, await metrics.text());
  } catch {
    json(response, 500, { status: 'the metrics could not be read' });
  }
}
