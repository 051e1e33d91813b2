import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Octokit } from '@octokit/rest';
import { createEmulator } from 'emulate';
import type { Emulator } from 'emulate';

export const [OWNER, REPOSITORY, BRANCH] = ['acme', 'plans', 'plane'];
export const GIT_TOKEN = 'ghp_GITTOKENGITTOKENGITTOKEN0000000000';

export interface GitRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
export interface GitAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: Buffer | string;
}
/** What happens to a request: an answer, or `cut`. `forward` asks the real one, with another body if need be. */
export type GitFault = (
  request: GitRequest,
  forward: (body?: string) => Promise<GitAnswer>,
) => Promise<GitAnswer | 'cut'>;

/** A GitHub server with a repository, and in front of it a proxy by which things go wrong. */
export class GitDouble {
  readonly requests: GitRequest[] = [];
  /** What happens to each request; everything is forwarded unless set. */
  fault: GitFault = (_request, forward) => forward();

  private constructor(
    private readonly server: Server,
    private readonly emulator: Emulator,
    /** By which tests look at the outcome, past the proxy. */
    readonly octokit: Octokit,
    readonly url: string,
  ) {}

  static async start(): Promise<GitDouble> {
    const emulator = await createEmulator({
      service: 'github',
      port: await freePort(),
      seed: {
        tokens: { [GIT_TOKEN]: { login: OWNER, scopes: ['repo'] } },
        github: { users: [{ login: OWNER }], repos: [{ owner: OWNER, name: REPOSITORY, auto_init: true }] },
      },
    });
    const octokit = new Octokit({
      baseUrl: emulator.url,
      auth: GIT_TOKEN,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const place = { owner: OWNER, repo: REPOSITORY };
    const { data } = await octokit.rest.repos.get(place);
    const main = await octokit.rest.git.getRef({ ...place, ref: `heads/${data.default_branch}` });
    await octokit.rest.git.createRef({ ...place, ref: `refs/heads/${BRANCH}`, sha: main.data.object.sha });
    const server = createServer((request, response) => void double.receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const double: GitDouble = new GitDouble(server, emulator, octokit, url);
    return double;
  }

  puts(): GitRequest[] {
    return this.requests.filter(({ method }) => method === 'PUT');
  }

  /** The file as it is, byte for byte; undefined when it is not there. */
  async read(path: string): Promise<string | undefined> {
    try {
      const { data } = await this.octokit.rest.repos.getContent({ ...this.at(path), ref: BRANCH });
      return Buffer.from((data as { content: string }).content, 'base64').toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** Puts a file there past the proxy, as a person does. */
  async put(path: string, text: string | Buffer): Promise<void> {
    const content = Buffer.from(text as string).toString('base64');
    const sha = await this.shaOf(path);
    const put = { ...this.at(path), branch: BRANCH, message: 'by hand', content, ...(sha !== undefined && { sha }) };
    await this.octokit.rest.repos.createOrUpdateFileContents(put);
  }

  async delete(path: string): Promise<void> {
    const sha = (await this.shaOf(path))!;
    await this.octokit.rest.repos.deleteFile({ ...this.at(path), branch: BRANCH, message: 'by hand', sha });
  }

  /** Messages of the commits on the branch, the newest first. */
  async commits(): Promise<{ sha: string; message: string; parents: number }[]> {
    const { data } = await this.octokit.rest.repos.listCommits({
      owner: OWNER,
      repo: REPOSITORY,
      sha: BRANCH,
      per_page: 100,
    });
    return data.map(({ sha, commit, parents }) => ({ sha, message: commit.message, parents: parents.length }));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.emulator.close();
  }

  private at = (path: string) => ({ owner: OWNER, repo: REPOSITORY, path });

  private async shaOf(path: string): Promise<string | undefined> {
    try {
      const { data } = await this.octokit.rest.repos.getContent({ ...this.at(path), ref: BRANCH });
      return (data as { sha: string }).sha;
    } catch {
      return undefined;
    }
  }

  private async receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    const request: GitRequest = { method, url, headers, body: Buffer.concat(chunks) };
    this.requests.push(request);
    const answer = await this.fault(request, (body) => this.forward(request, body));
    if (answer === 'cut') return void incoming.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  private async forward({ method, url, headers, body }: GitRequest, instead?: string): Promise<GitAnswer> {
    const ask = (sent: string | Buffer): Promise<Response> =>
      fetch(this.emulator.url + url, {
        method,
        headers: Object.fromEntries(
          Object.entries(headers).filter(([name]) => /^(accept|authorization|content-type|user-agent)$/.test(name)),
        ) as Record<string, string>,
        ...(method !== 'GET' && { body: sent.toString() }),
      });
    const sent = instead ?? body.toString();
    let answer = await ask(sent);
    // GitHub ignores the sha of a file that is not there, and makes it anew; the double refuses.
    if (method === 'PUT' && answer.status === 422 && (await answer.clone().text()).includes('does not exist')) {
      const { sha: _ignored, ...rest } = JSON.parse(sent) as Record<string, unknown>;
      answer = await ask(JSON.stringify(rest));
    }
    const type = answer.headers.get('content-type') ?? 'application/json';
    return { status: answer.status, headers: { 'content-type': type }, body: Buffer.from(await answer.arrayBuffer()) };
  }
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): GitAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
