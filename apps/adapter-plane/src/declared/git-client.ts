import { createHash } from 'node:crypto';
import { BackendClient, credentialFrom, path } from '@portico/domain-kit';
import type { BackendSettings, CallScope } from '@portico/domain-kit';
import { z } from 'zod';
import type { GitConfig } from '../config.js';
import { explainGit, gitFault } from './git-faults.js';

/** A file as it is: `sha` is the blob's, by which a write names what it replaces. */
export interface GitFile {
  readonly bytes: Buffer;
  readonly sha: string;
}
export interface GitWrite {
  readonly file: string;
  readonly message: string;
  readonly content: string;
  readonly sha: string;
}
/** `created`: there was no file to be replaced any more. */
export interface GitCommit {
  readonly sha: string;
  readonly created: boolean;
}

const Written = z.looseObject({ commit: z.looseObject({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) }) });

/** The GitHub contents API of one branch of one repository: the only place that speaks to it. */
export class GitClient {
  private readonly backend: BackendClient;
  private readonly repository: string;

  constructor(
    private readonly config: GitConfig,
    log: BackendSettings['log'],
  ) {
    const [owner, name] = config.repository;
    this.repository = path`/repos/${owner}/${name}`;
    this.backend = new BackendClient({
      name: 'The Git server',
      baseUrl: config.apiUrl,
      credential: credentialFrom(config.token ?? {}, log),
      headers: { 'user-agent': 'portico', 'x-github-api-version': '2022-11-28' },
      explain: explainGit,
      ...(log && { log }),
    });
  }

  /** Throws NOT_FOUND when the branch or the file is not there. */
  async read(file: string, scope: CallScope): Promise<GitFile> {
    const answer = await this.backend
      .get({
        path: this.contents(file),
        query: { ref: this.config.branch },
        // As it is, at any size: in JSON there is nothing of a file above 1 MB.
        headers: { accept: 'application/vnd.github.raw+json' },
        scope,
      })
      .catch(gitFault);
    const hash = createHash('sha1').update(`blob ${answer.body.length}\0`).update(answer.body);
    return { bytes: answer.body, sha: hash.digest('hex') };
  }

  /** Replaces the file that has the blob `sha` by a commit on the tip of the branch, or throws; never forces. */
  async write({ file, message, content, sha }: GitWrite, scope: CallScope): Promise<GitCommit> {
    const json = { message, content: Buffer.from(content).toString('base64'), sha, branch: this.config.branch };
    const answer = await this.backend.send({ method: 'PUT', path: this.contents(file), json, scope }).catch(gitFault);
    return { sha: answer.json(Written).commit.sha, created: answer.status === 201 };
  }

  /** Throws unless the branch is there and may be read. */
  async check(scope: CallScope): Promise<void> {
    await this.backend
      .get({ path: `${this.repository}${path`/branches/${this.config.branch}`}`, scope })
      .catch(gitFault);
  }

  close(): Promise<void> {
    return this.backend.close();
  }

  private contents(file: string): string {
    return `${this.repository}/contents${file
      .split('/')
      .map((segment) => path`/${segment}`)
      .join('')}`;
  }
}
