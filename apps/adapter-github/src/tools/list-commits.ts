import { cutText, defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { GithubClient } from '../client.js';
import { QUICK } from '../freshness.js';
import { FilePath, Login, Ref, Time, paging } from './arguments.js';
import type { RepositoryArgument } from './arguments.js';

const LONGEST_MESSAGE = 1_000;

export const listCommits = (github: GithubClient, repository: RepositoryArgument) =>
  defineTool({
    name: 'list_commits',
    description:
      'Commits of a branch, newest first, a page at a time: hash, message, author, time. next_page is there when there are more.',
    input: z.object({
      repository,
      ref: Ref.optional(),
      path: FilePath.min(1).optional().describe('only commits that changed this file, or something in this folder'),
      author: Login.optional().describe('only those of this GitHub user'),
      since: Time.optional().describe('only those after this time, such as 2026-11-30T08:00:00Z'),
      until: Time.optional().describe('only those before this time'),
      ...paging,
    }),
    effect: 'read',
    ...QUICK,
    async handle({ repository: name, ref, limit, ...filter }, scope) {
      const { items, nextPage } = await github.commits(name, { sha: ref, per_page: limit, ...filter }, scope);
      return {
        commits: items.map(({ sha, html_url, author, commit }) => ({
          sha,
          message: cutText(commit.message, 0, LONGEST_MESSAGE, () => 'GitHub has the rest'),
          author: given(author?.login ?? commit.author?.name),
          date: given(commit.author?.date),
          url: given(html_url),
        })),
        next_page: nextPage,
      };
    },
  });
