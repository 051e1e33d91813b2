/** What a token must be for in the eyes of the issuer, and where its metadata document is (RFC 9728). */
export interface ResourceAddress {
  readonly url: string;
  readonly metadataUrl: string;
}

export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** By the address that callers use, else by an audience that is itself an address; undefined without either. */
export function resourceAddress(publicUrl: string | undefined, audience: string): ResourceAddress | undefined {
  // Below a path of its own, a proxy passes on what is below that path: the metadata too is asked for there.
  if (publicUrl !== undefined) return below(publicUrl.replace(/\/+$/, ''));
  const url = URL.parse(audience);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return { url: audience, metadataUrl: `${url.origin}${METADATA_PATH}${url.pathname === '/mcp' ? '/mcp' : ''}` };
}

/** By the `Host` of a request that came over loopback; undefined for what is no host and port. */
export function resourceAtHost(host: string | undefined): ResourceAddress | undefined {
  return host !== undefined && /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host)
    ? below(`http://${host}`)
    : undefined;
}

const below = (base: string): ResourceAddress => ({ url: `${base}/mcp`, metadataUrl: `${base}${METADATA_PATH}/mcp` });
