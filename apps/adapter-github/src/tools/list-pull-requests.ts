import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { GithubClient } from '../client.js';
import { QUICK } from '../freshness.js';
import { pullRequestView } from '../views.js';
import { BranchName, paging } from './arguments.js';
import type { RepositoryArgument } from './arguments.js';

export const listPullRequests = (github: GithubClient, repository: RepositoryArgument) =>
  defineTool({
    name: 'list_pull_requests',
    description:
      'Pull requests, a page at a time: number, title, state, author, labels, branches. Open ones, newest first, unless told otherwise; merged ones are closed and have merged_at. next_page is there when there are more. github.get_pull_request has the body.',
    input: z.object({
      repository,
      state: z.enum(['open', 'closed', 'all']).default('open'),
      head: BranchName.optional().describe('only those that come from this branch, as owner:branch'),
      base: BranchName.optional().describe('only those that go into this branch'),
      sort: z.enum(['created', 'updated']).default('created'),
      direction: z.enum(['desc', 'asc']).default('desc'),
      ...paging,
    }),
    effect: 'read',
    ...QUICK,
    async handle({ repository: name, limit, ...filter }, scope) {
      const { items, nextPage } = await github.pullRequests(name, { per_page: limit, ...filter }, scope);
      return { pull_requests: items.map(pullRequestView), next_page: nextPage };
    },
  });
