import type { DomainTool } from '@portico/domain-kit';
import type { GithubClient } from './client.js';
import { repositoryOf } from './tools/arguments.js';
import { getFile } from './tools/get-file.js';
import { getIssue } from './tools/get-issue.js';
import { getPullRequest } from './tools/get-pull-request.js';
import { listCommits } from './tools/list-commits.js';
import { listIssues } from './tools/list-issues.js';
import { listPullRequests } from './tools/list-pull-requests.js';

/** All that `github.*` publishes, of the repositories that the operator lists. */
export const tools = (github: GithubClient, repositories: readonly string[]): DomainTool[] => {
  const repository = repositoryOf(repositories);
  return [
    getFile(github, repository),
    listCommits(github, repository),
    listPullRequests(github, repository),
    getPullRequest(github, repository),
    listIssues(github, repository),
    getIssue(github, repository),
  ];
};
