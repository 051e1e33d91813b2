import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Octokit } from '@octokit/rest';
import { createEmulator } from 'emulate';
import type { Emulator } from 'emulate';

export const [OWNER, REPOSITORY, UNLISTED] = ['acme', 'shop', 'vault'];
export const TOKEN = 'ghp_GITHUBTOKENGITHUBTOKEN000000000001';
export const NEW_TOKEN = 'ghp_GITHUBTOKENGITHUBTOKEN000000000002';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
/** Answers one request in the place of GitHub; `real` is what GitHub answers. */
export type Fault = (response: ServerResponse, real: () => Promise<Response>) => void | Promise<void>;

/** A GitHub with a repository that is on the list and one that is not, and in front of it a proxy by which things go wrong. */
export class GithubDouble {
  readonly requests: SeenRequest[] = [];
  /** What becomes of the next requests, in turn; all others are forwarded. */
  readonly faults: Fault[] = [];
  /** The tokens that are taken; everything else is 401, which the emulator does not always say. */
  readonly tokens = new Set([TOKEN]);
  private watching: (() => void) | undefined;

  private constructor(
    private readonly server: Server,
    private readonly emulator: Emulator,
    /** By which tests prepare what is there, past the proxy. */
    readonly octokit: Octokit,
    readonly url: string,
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
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const double = new GithubDouble(server, emulator, octokit, url);
    server.on('request', (request, response) => void double.receive(request, response));
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

  /** Resolves when one more request has arrived. */
  arrived(): Promise<void> {
    return new Promise((resolve) => (this.watching = resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.emulator.close();
  }

  private async receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    this.requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    this.watching?.();
    const real = () =>
      fetch(this.emulator.url + url, {
        method,
        headers: { accept: String(headers.accept), authorization: `Bearer ${TOKEN}` },
      });
    const fault = this.faults.shift();
    if (fault) return void (await fault(response, real));
    // What GitHub does to everybody, and the emulator does not.
    if (headers['user-agent'] === undefined) return answer(response, 403, { message: 'User-Agent is missing' });
    const token = headers.authorization?.replace(/^Bearer /, '');
    if (token !== undefined && !this.tokens.has(token)) return answer(response, 401, { message: 'Bad credentials' });
    await passOn(response, await real());
  }
}

export const answer = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const failing =
  (status: number, headers: Record<string, string> = {}, message = 'at db.internal, /srv/github/app.rb:42'): Fault =>
  (response) =>
    answer(response, status, { message }, headers);

async function passOn(response: ServerResponse, real: Response): Promise<void> {
  const headers = Object.fromEntries([...real.headers].filter(([name]) => /^(content-type|link|x-.*)$/.test(name)));
  response.writeHead(real.status, headers).end(Buffer.from(await real.arrayBuffer()));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
