import { isUtf8 } from 'node:buffer';
import { cutPoint, defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { GithubClient } from '../client.js';
import { NOW } from '../freshness.js';
import type { Entry } from '../replies.js';
import { FilePath, Ref } from './arguments.js';
import type { RepositoryArgument } from './arguments.js';

const MOST_CHARACTERS = 50_000;
const MOST_ENTRIES = 500;

export const getFile = (github: GithubClient, repository: RepositoryArgument) =>
  defineTool({
    name: 'get_file',
    description: `One file as text, ${MOST_CHARACTERS} characters at a time, or what is in a folder, ${MOST_ENTRIES} entries at a time. next_from is there when there is more. Of what is no text, only the size.`,
    input: z.object({
      repository,
      path: FilePath.default('').describe('file or folder, such as src/main.ts; the top folder unless given'),
      ref: Ref.optional(),
      from: z
        .int()
        .min(0)
        .max(100_000_000)
        .default(0)
        .describe('next_from of the answer before: character of the text, or entry of the folder, to begin with'),
    }),
    effect: 'read',
    ...NOW,
    async handle({ repository: name, path, ref, from }, scope) {
      const found = await github.content(name, path, ref, scope);
      if (Array.isArray(found)) return { type: 'folder', path, ...entriesFrom(found, from) };
      const file = { type: found.type, path: found.path, sha: found.sha, size: given(found.size) };
      if (found.type !== 'file') return { ...file, target: given(found.target) };
      // Above 1 MB the content is left out.
      const bytes =
        found.encoding === 'base64'
          ? Buffer.from(found.content ?? '', 'base64')
          : await github.blob(name, found.sha, scope);
      return isUtf8(bytes) && !bytes.includes(0)
        ? { ...file, ...textFrom(bytes.toString('utf8'), from) }
        : { ...file, binary: true };
    },
  });

function textFrom(text: string, from: number) {
  const end = cutPoint(text, from + MOST_CHARACTERS);
  return { text: text.slice(cutPoint(text, from), end), next_from: end < text.length ? end : undefined };
}

function entriesFrom(entries: readonly Entry[], from: number) {
  const end = from + MOST_ENTRIES;
  const shown = entries.slice(from, end).map(({ name, type, size }) => ({
    name,
    type: type === 'dir' ? 'folder' : type,
    size: type === 'file' ? given(size) : undefined,
  }));
  return { entries: shown, total: entries.length, next_from: end < entries.length ? end : undefined };
}
