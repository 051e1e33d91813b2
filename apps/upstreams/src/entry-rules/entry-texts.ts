import type { EntryFields } from '../entry-fields.js';

/** The texts of an entry that a process or a request is made of, each with where it stands. */
export function* textsOf({ command, args, cwd, url, env, headers, oauth }: EntryFields) {
  for (const [field, text] of [
    ['command', command],
    ['cwd', cwd],
    ['url', url],
  ] as const)
    if (text !== undefined) yield { at: [field] as const, text, secret: false };
  for (const [index, text] of (args ?? []).entries())
    yield { at: ['args', String(index)] as const, text, secret: false };
  for (const [key, text] of Object.entries(env ?? {})) yield { at: ['env', key] as const, text, secret: true };
  for (const [key, text] of Object.entries(headers ?? {})) yield { at: ['headers', key] as const, text, secret: true };
  for (const [key, text] of Object.entries(oauth ?? {}))
    yield { at: ['oauth', key] as const, text, secret: key === 'clientSecret' };
}

/** The addresses of an entry, each with where it stands. */
export function* urlsOf({ url, oauth }: EntryFields) {
  if (url !== undefined) yield { at: ['url'] as const, url };
  if (oauth?.tokenUrl !== undefined) yield { at: ['oauth', 'tokenUrl'] as const, url: oauth.tokenUrl };
}
