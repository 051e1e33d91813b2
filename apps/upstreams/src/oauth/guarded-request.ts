import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { Reason } from '@portico/mcp-session';
import { isPrivateHost, publicLookup } from '../address-guard.js';

export interface GuardedRequest {
  readonly url: string;
  /** Given: it is posted as a form. */
  readonly form?: URLSearchParams;
  readonly authorization?: string | undefined;
  /** Whether loopback, link-local and private addresses may be connected to. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

/** Most bytes of an answer: metadata and tokens are small. */
const ANSWER_LIMIT = 131_072;

/**
 * One small request on a connection of its own, whose address is checked as an upstream's is. Redirects are not followed.
 * Rejects with an Error, a Reason where we know better; no credential is in it.
 */
export const guardedRequest = ({ url, form, authorization, allowPrivate, signal }: GuardedRequest) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { protocol } = new URL(url);
    // A literal address asks no name service, so it is looked at here.
    if (!allowPrivate && isPrivateHost(url)) return reject(new Reason('the address is private'));
    const body = form?.toString();
    const send = protocol === 'https:' ? overHttps : overHttp;
    const request = send(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        }),
      },
      agent: false,
      signal,
      ...(!allowPrivate && { lookup: publicLookup }),
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_LIMIT) request.destroy(new Reason('the answer is too large'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    request.end(body);
  });

/** The JSON object of an answer; undefined when it is none. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
