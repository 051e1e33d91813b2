import { Fault } from '@portico/contracts';
import { BackendReader, credentialFrom, path } from '@portico/domain-kit';
import type { BackendRequest, BackendSettings, CallScope } from '@portico/domain-kit';
import { z } from 'zod';
import type { AdapterGithubConfig } from './config.js';
import { githubFault } from './faults.js';
import { Blob, Commit, Content, Issue, PullRequest } from './replies.js';

/** Part of a list, and the page that it goes on with. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPage: number | undefined;
}
/** Filters by GitHub's own names, and which page: `page` from 1, `per_page` from 1 to 100. */
type Query = NonNullable<BackendRequest['query']> & { readonly page: number; readonly per_page: number };

/** GitHub, to be read, and of it the repositories on the list: for no other is there a path. */
export class GithubClient {
  readonly #backend: BackendReader;
  /** As the operator spells them, by how they are in lower case: for GitHub it is the same. */
  readonly #repositories: ReadonlyMap<string, string>;

  constructor(config: AdapterGithubConfig, log: BackendSettings['log']) {
    this.#repositories = new Map(config.repositories.map((name) => [name.toLowerCase(), name]));
    this.#backend = new BackendReader({
      name: 'GitHub',
      baseUrl: config.apiUrl,
      ...(config.token && { credential: credentialFrom(config.token, log) }),
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'portico',
        'x-github-api-version': '2022-11-28',
      },
      faultOf: githubFault,
      ...(log && { log }),
    });
  }

  /** A file, or the entries of a folder; `ref` is a branch, tag or commit. */
  async content(repository: string, file: string, ref: string | undefined, scope: CallScope) {
    const encoded =
      file === ''
        ? ''
        : file
            .split('/')
            .map((segment) => path`/${segment}`)
            .join('');
    return (await this.#get(repository, `/contents${encoded}`, scope, { ref })).json(Content);
  }

  /** The bytes of a file of any size that an answer may have. */
  async blob(repository: string, sha: string, scope: CallScope): Promise<Buffer> {
    const { content } = (await this.#get(repository, path`/git/blobs/${sha}`, scope)).json(Blob);
    return Buffer.from(content, 'base64');
  }

  commits(repository: string, query: Query, scope: CallScope) {
    return this.#list(Commit, repository, '/commits', query, scope);
  }

  pullRequests(repository: string, query: Query, scope: CallScope) {
    return this.#list(PullRequest, repository, '/pulls', query, scope);
  }

  async pullRequest(repository: string, number: number, scope: CallScope) {
    return (await this.#get(repository, path`/pulls/${number}`, scope)).json(PullRequest);
  }

  /** Pull requests are among them. */
  issues(repository: string, query: Query, scope: CallScope) {
    return this.#list(Issue, repository, '/issues', query, scope);
  }

  async issue(repository: string, number: number, scope: CallScope) {
    return (await this.#get(repository, path`/issues/${number}`, scope)).json(Issue);
  }

  /** Throws unless GitHub answers and takes our token. It is not counted as a request. */
  async check(scope: CallScope): Promise<void> {
    try {
      await this.#backend.get({ path: '/rate_limit', scope });
    } catch (error) {
      // What an installation without limits answers.
      if (Fault.from(error).code !== 'NOT_FOUND') throw error;
    }
  }

  close(): Promise<void> {
    return this.#backend.close();
  }

  async #list<T extends z.ZodType>(
    item: T,
    repository: string,
    at: string,
    query: Query,
    scope: CallScope,
  ): Promise<Page<z.output<T>>> {
    const answer = await this.#get(repository, at, scope, query);
    // Only whether there is a next page is taken from it: an address out of an answer is not asked.
    const isMore = /<[^<>]*>\s*;\s*rel="next"/.test(answer.header('link') ?? '');
    return { items: answer.json(z.array(item)), nextPage: isMore ? query.page + 1 : undefined };
  }

  async #get(repository: string, at: string, scope: CallScope, query: BackendRequest['query'] = {}) {
    const listed = this.#repositories.get(repository.toLowerCase());
    if (listed === undefined)
      throw new Fault('PERMISSION_DENIED', 'This repository is not on the list of those that may be read here.', {
        executed: 'no',
      });
    const [owner = '', name = ''] = listed.split('/');
    return this.#backend.get({ path: path`/repos/${owner}/${name}` + at, query, scope });
  }
}
