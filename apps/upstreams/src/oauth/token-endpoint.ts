import { Reason } from '@portico/mcp-session';
import { guardedRequest, jsonObject } from './guarded-request.js';

/** Where tokens are had, and how a client names itself there. */
export interface TokenEndpoint {
  readonly url: string;
  readonly clientAuth: 'basic' | 'post';
}

interface Reach {
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

/**
 * The token endpoint that a server's own metadata leads to: RFC 9728 names its authorization server, RFC 8414 (or OpenID
 * discovery) that one's endpoint. A server without such metadata is taken for its own. Rejects with a Reason.
 */
export async function findTokenEndpoint(resource: string, reach: Reach): Promise<TokenEndpoint> {
  const issuer = (await issuerOf(resource, reach)) ?? new URL(resource).origin;
  const { origin, pathname } = learntAddress(issuer, reach);
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  const metadata = await firstOf(
    [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ],
    reach,
  );
  if (metadata === undefined) throw new Reason('the authorization server has no metadata');
  // RFC 8414, 3.3: metadata of another issuer must not be used.
  if (withoutSlash(metadata['issuer']) !== withoutSlash(issuer)) throw new Reason('the metadata is of another issuer');
  const methods = metadata['token_endpoint_auth_methods_supported'];
  const post =
    Array.isArray(methods) && !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
  return { url: learntAddress(metadata['token_endpoint'], reach).href, clientAuth: post ? 'post' : 'basic' };
}

async function issuerOf(resource: string, reach: Reach): Promise<string | undefined> {
  const { origin, pathname } = new URL(resource);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const metadata = await firstOf(pathname === '/' ? [wellKnown] : [`${wellKnown}${pathname}`, wellKnown], reach);
  if (metadata === undefined) return undefined;
  // RFC 9728, 3.3: metadata of another resource must not be used.
  const described = URL.parse(String(metadata['resource']));
  if (described?.origin !== origin) throw new Reason('the metadata is of another resource');
  const [issuer] = Array.isArray(metadata['authorization_servers'])
    ? (metadata['authorization_servers'] as unknown[])
    : [];
  if (typeof issuer !== 'string') throw new Reason('the metadata names no authorization server');
  return issuer;
}

async function firstOf(urls: readonly string[], reach: Reach): Promise<Record<string, unknown> | undefined> {
  for (const url of urls) {
    const { status, text } = await guardedRequest({ url, ...reach });
    if (status === 200) return jsonObject(text);
  }
  return undefined;
}

/** An address that somebody else named: the secret goes there, so it must not go in the clear. */
export function learntAddress(text: unknown, { allowPrivate }: Pick<Reach, 'allowPrivate'>): URL {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  const safe = url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:');
  if (url === null || !safe || url.username !== '' || url.password !== '') {
    throw new Reason('the metadata names an address that is not usable');
  }
  return url;
}

const withoutSlash = (text: unknown): string => String(text).replace(/\/$/, '');
