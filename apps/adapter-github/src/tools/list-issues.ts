import { defineTool } from '@portico/domain-kit';
import { z } from 'zod';
import type { GithubClient } from '../client.js';
import { QUICK } from '../freshness.js';
import { topicView } from '../views.js';
import { LabelName, Login, Time, paging } from './arguments.js';
import type { RepositoryArgument } from './arguments.js';

export const listIssues = (github: GithubClient, repository: RepositoryArgument) =>
  defineTool({
    name: 'list_issues',
    description:
      'Issues, a page at a time: number, title, state, author, labels, assignees. Open ones, newest first, unless told otherwise. A page may be shorter than its limit, as pull requests are left out of it; only where there is no next_page is there no more. github.get_issue has the body.',
    input: z.object({
      repository,
      state: z.enum(['open', 'closed', 'all']).default('open'),
      labels: z.array(LabelName).min(1).max(20).optional().describe('only those that have all of these labels'),
      assignee: Login.optional().describe('only those that this GitHub user is to do'),
      creator: Login.optional().describe('only those that this GitHub user opened'),
      since: Time.optional().describe('only those changed after this time, such as 2026-11-30T08:00:00Z'),
      sort: z.enum(['created', 'updated', 'comments']).default('created'),
      direction: z.enum(['desc', 'asc']).default('desc'),
      ...paging,
    }),
    effect: 'read',
    ...QUICK,
    async handle({ repository: name, labels, limit, ...filter }, scope) {
      const query = { labels: labels?.join(','), per_page: limit, ...filter };
      const { items, nextPage } = await github.issues(name, query, scope);
      return { issues: items.filter((item) => item.pull_request == null).map(topicView), next_page: nextPage };
    },
  });
