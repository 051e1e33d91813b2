import { Fault } from '@portico/contracts';
import { cutText, defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { GithubClient } from '../client.js';
import { NOW } from '../freshness.js';
import { topicView } from '../views.js';
import { TopicNumber, bodyFrom } from './arguments.js';
import type { RepositoryArgument } from './arguments.js';

const MOST_BODY = 20_000;

export const getIssue = (github: GithubClient, repository: RepositoryArgument) =>
  defineTool({
    name: 'get_issue',
    description: 'One issue as it is now: state, author, labels, assignees, how many comments it has, and its body.',
    input: z.object({
      repository,
      number: TopicNumber.describe('number of the issue'),
      body_from: bodyFrom(MOST_BODY),
    }),
    effect: 'read',
    ...NOW,
    async handle({ repository: name, number, body_from }, scope) {
      const issue = await github.issue(name, number, scope);
      if (issue.pull_request != null)
        throw new Fault('NOT_FOUND', 'This number is a pull request: github.get_pull_request shows it.');
      return {
        ...topicView(issue),
        state_reason: given(issue.state_reason),
        body: cutText(issue.body ?? '', body_from, MOST_BODY, (next) => `body_from: ${next} shows what comes next`),
      };
    },
  });
