/**
 * What is wrong with a backend's address, in a sentence naming no part of it but its host; undefined when it may be
 * used. TLS is on: `http://` is for loopback and for names that only a cluster resolves.
 */
export function addressProblem(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return 'it is no URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'it must begin with https://';
  if (url.username !== '' || url.password !== '') return 'it must hold no user name and no password';
  if (url.hash !== '') return 'it must have no fragment';
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isClusterInternal(url.hostname)) {
    return `http:// is only for loopback and cluster-internal names, and "${url.hostname}" is neither; use https://`;
  }
  return undefined;
}

/** Hosts as `URL` spells them: lower case, IPv4 in four decimals, IPv6 in brackets. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

const isClusterInternal = (host: string): boolean =>
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(host) || /^[a-z0-9.-]+\.(svc|cluster\.local)$/.test(host);
