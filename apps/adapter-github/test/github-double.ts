import { Octokit } from '@octokit/rest';
import { FaultyProxy, answering, freePort } from '@portico/testkit';
import type { ProxyFault } from '@portico/testkit';
import { createEmulator } from 'emulate';
import type { Emulator } from 'emulate';

export const [OWNER, REPOSITORY, UNLISTED] = ['acme', 'shop', 'vault'];
export const TOKEN = 'ghp_GITHUBTOKENGITHUBTOKEN000000000001';
export const NEW_TOKEN = 'ghp_GITHUBTOKENGITHUBTOKEN000000000002';

/** A GitHub with a repository that is on the list and one that is not, and in front of it a proxy by which things go wrong. */
export class GithubDouble {
  /** The tokens that are taken; everything else is 401, which the emulator does not always say. */
  readonly tokens = new Set([TOKEN]);

  private constructor(
    private readonly emulator: Emulator,
    readonly proxy: FaultyProxy,
    /** By which tests prepare what is there, past the proxy. */
    readonly octokit: Octokit,
  ) {}

  static async start(): Promise<GithubDouble> {
    const repos = [REPOSITORY, UNLISTED, 'empty'].map((name) => ({ owner: OWNER, name, auto_init: name !== 'empty' }));
    const emulator = await createEmulator({
      service: 'github',
      port: await freePort(),
      seed: { tokens: { [TOKEN]: { login: OWNER, scopes: ['repo'] } }, github: { users: [{ login: OWNER }], repos } },
    });
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const octokit = new Octokit({ baseUrl: emulator.url, auth: TOKEN, log });
    const proxy = await FaultyProxy.start({
      target: emulator.url,
      forwarded: ({ headers }) => ({ accept: String(headers.accept), authorization: `Bearer ${TOKEN}` }),
      kept: /^(link|x-.*)$/,
      refuses({ headers }) {
        // What GitHub does to everybody, and the emulator does not.
        if (headers['user-agent'] === undefined) return answering(403, { message: 'User-Agent is missing' });
        const token = headers.authorization?.replace(/^Bearer /, '');
        const isTaken = token === undefined || double.tokens.has(token);
        return isTaken ? undefined : answering(401, { message: 'Bad credentials' });
      },
    });
    const double = new GithubDouble(emulator, proxy, octokit);
    return double;
  }

  /** Commits a file, as a person does; on the default branch unless given. */
  async put(path: string, content: string | Buffer, message: string, branch?: string, repo = REPOSITORY) {
    await this.octokit.rest.repos.createOrUpdateFileContents({
      owner: OWNER,
      repo,
      path,
      message,
      content: Buffer.from(content as string).toString('base64'),
      ...(branch !== undefined && { branch }),
    });
  }

  async branch(name: string): Promise<void> {
    const place = { owner: OWNER, repo: REPOSITORY };
    const main = await this.octokit.rest.git.getRef({ ...place, ref: 'heads/main' });
    await this.octokit.rest.git.createRef({ ...place, ref: `refs/heads/${name}`, sha: main.data.object.sha });
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.emulator.close();
  }
}

export const failing = (
  status: number,
  headers: Record<string, string> = {},
  message = 'at db.internal, /srv/github/app.rb:42',
): ProxyFault => answering(status, { message }, headers);
