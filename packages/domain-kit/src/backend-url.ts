import { Fault } from '@portico/contracts';

interface Asked {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** The URL of a request: its path behind the base's own, and its query. Throws INVALID_ARGUMENTS for a path that rules would rewrite. */
export function backendUrl(base: URL, { path, query = {} }: Asked): URL {
  const asked = base.pathname.replace(/\/$/, '') + path;
  const url = new URL(base.origin);
  url.pathname = asked;
  // A path that URL rules would rewrite (dot segments, backslashes) is not the one that was checked.
  if (!path.startsWith('/') || url.pathname !== asked) {
    throw new Fault('INVALID_ARGUMENTS', 'An identifier does not make a path.', { executed: 'no' });
  }
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}
