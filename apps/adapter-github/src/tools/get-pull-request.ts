import { cutText, defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { GithubClient } from '../client.js';
import { NOW } from '../freshness.js';
import { pullRequestView } from '../views.js';
import { TopicNumber, bodyFrom } from './arguments.js';
import type { RepositoryArgument } from './arguments.js';

const MOST_BODY = 20_000;

export const getPullRequest = (github: GithubClient, repository: RepositoryArgument) =>
  defineTool({
    name: 'get_pull_request',
    description:
      'One pull request as it is now: state, author, branches, reviewers, size of the change, whether it can be merged, and its body.',
    input: z.object({
      repository,
      number: TopicNumber.describe('number of the pull request'),
      body_from: bodyFrom(MOST_BODY),
    }),
    effect: 'read',
    ...NOW,
    async handle({ repository: name, number, body_from }, scope) {
      const pull = await github.pullRequest(name, number, scope);
      return {
        ...pullRequestView(pull),
        merge_state: given(pull.mergeable_state),
        reviewers: (pull.requested_reviewers ?? []).flatMap((user) => user?.login ?? []),
        commits: given(pull.commits),
        additions: given(pull.additions),
        deletions: given(pull.deletions),
        changed_files: given(pull.changed_files),
        body: cutText(pull.body ?? '', body_from, MOST_BODY, (next) => `body_from: ${next} shows what comes next`),
      };
    },
  });
