import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { WireRequest } from './compose.js';

/** What came back for one request. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Longest that an answer may take. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Sends a request to `url` as it is, on a connection of its own. Rejects when no answer comes. */
export const exchange = (url: string, { verb, headers, body }: WireRequest): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method: verb, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => outgoing.destroy(new Error('No answer in time.')));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
