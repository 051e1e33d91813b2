import { isDotGlob } from '@portico/contracts';

const OWN_SCHEME = 'portico:';

/** Whether a URI is one of the gateway's own resources: no source may publish it, or speak of it. */
export const isOwnUri = (uri: string): boolean => uri.slice(0, OWN_SCHEME.length).toLowerCase() === OWN_SCHEME;

const STALE = 'portico://stale/';

/** The template of the resources that change when what a pattern names may have gone stale. */
export const STALE_TEMPLATE = `${STALE}{pattern}`;

/** `*` and the dots stay as they are; what no URI may hold is escaped. */
export const staleUri = (pattern: string): string => STALE + encodeURIComponent(pattern.replace(/\p{Cs}/gu, '\ufffd'));

/** The pattern that such a URI names, however it is escaped. */
export function patternOfUri(uri: string): string | undefined {
  if (!uri.startsWith(STALE)) return undefined;
  try {
    const pattern = decodeURIComponent(uri.slice(STALE.length));
    return isDotGlob(pattern) ? pattern : undefined;
  } catch {
    return undefined;
  }
}
