import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FakeKubernetes,
  type KubernetesMcp,
  SlackDouble,
  startFakeKubernetes,
  startKubernetesMcp,
} from '@portico/testkit';
import { DispatcherDouble } from '../apps/adapter-dagger/test/dispatcher-double.js';
import { GithubDouble } from '../apps/adapter-github/test/github-double.js';
import { N8nDouble } from '../apps/adapter-n8n/test/n8n-double.js';
import { GIT_TOKEN, GitDouble, json } from '../apps/adapter-plane/test/git-double.js';
import { PlaneDouble } from '../apps/adapter-plane/test/plane-double.js';
import { WORKSPACE } from '../apps/adapter-plane/test/plane-records.js';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.js';

/** What a backend was asked, as all the doubles tell it. */
export interface AskedOfBackend {
  readonly method: string;
  readonly at: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Settings that name a file with a credential, each with the double that takes it. */
const CREDENTIALS = {
  CI_DISPATCHER_TOKEN_FILE: 'dispatcher',
  PLANE_TOKEN_FILE: 'plane',
  PLANE_GIT_TOKEN_FILE: 'git',
  N8N_API_KEY_FILE: 'n8n',
  SLACK_BOT_TOKEN_FILE: 'slack',
  GITHUB_TOKEN_FILE: 'github',
} as const;
type Credential = keyof typeof CREDENTIALS;

/** Everything that is behind the domains: a real kubernetes-mcp-server on a cluster of ours, and doubles of the rest. */
export class Backends {
  /** Every credential that ever was, by the setting of its file; the last one of each is taken, and no other. */
  readonly credentials: Readonly<Record<Credential, string[]>>;

  private constructor(
    private readonly folder: string,
    readonly kubernetes: FakeKubernetes,
    private readonly kubernetesMcp: KubernetesMcp,
    readonly cluster: RecordingProxy,
    readonly dispatcher: DispatcherDouble,
    readonly plane: PlaneDouble,
    readonly git: GitDouble,
    readonly n8n: N8nDouble,
    readonly slack: SlackDouble,
    readonly github: GithubDouble,
  ) {
    const names = Object.keys(CREDENTIALS) as Credential[];
    this.credentials = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Credential, string[]>;
    git.fault = (request, forward) => {
      const isTaken = request.headers.authorization === `Bearer ${this.credentials.PLANE_GIT_TOKEN_FILE.at(-1)}`;
      // The server behind knows one token alone.
      request.headers.authorization = `Bearer ${GIT_TOKEN}`;
      return isTaken ? forward() : Promise.resolve(json(401, { message: 'Bad credentials' }));
    };
  }

  /** `folder` is where the files of credentials are made. */
  static async start(folder: string): Promise<Backends> {
    const kubernetes = await startFakeKubernetes();
    const mcp = await startKubernetesMcp({ api: kubernetes });
    const backends = new Backends(
      folder,
      kubernetes,
      mcp,
      await startRecordingProxy(mcp.url),
      await DispatcherDouble.start(),
      await PlaneDouble.start(),
      await GitDouble.start(),
      await N8nDouble.start(),
      await SlackDouble.start(),
      await GithubDouble.start(),
    );
    backends.rotate();
    return backends;
  }

  /** Gives each a new credential, and takes the one before from then on no more. */
  rotate(): void {
    for (const [name, of] of Object.entries(CREDENTIALS) as [Credential, (typeof CREDENTIALS)[Credential]][]) {
      const secret = `${of}-credential-${this.credentials[name].length}-${'x'.repeat(20)}`;
      this.credentials[name].push(secret);
      writeFileSync(join(this.folder, name), `${secret}\n`);
    }
    const { dispatcher, plane, n8n, slack, github, credentials } = this;
    const taken: [Set<string>, Credential][] = [
      [dispatcher.tokens, 'CI_DISPATCHER_TOKEN_FILE'],
      [plane.keys, 'PLANE_TOKEN_FILE'],
      [n8n.keys, 'N8N_API_KEY_FILE'],
      [slack.tokens, 'SLACK_BOT_TOKEN_FILE'],
      [github.tokens, 'GITHUB_TOKEN_FILE'],
    ];
    for (const [set, name] of taken) {
      set.clear();
      set.add(credentials[name].at(-1)!);
    }
  }

  /** No credential is taken any more, until the next are given. */
  refuseAll(): void {
    const { dispatcher, plane, n8n, slack, github } = this;
    for (const taken of [dispatcher.tokens, plane.keys, n8n.keys, slack.tokens, github.tokens]) taken.clear();
  }

  /** Settings of every domain. */
  get env(): Record<string, string> {
    const files = Object.keys(CREDENTIALS).map((name) => [name, join(this.folder, name)]);
    return {
      ...(Object.fromEntries(files) as Record<string, string>),
      CLUSTER_MCP_URL: `${this.cluster.url}/mcp`,
      CI_DISPATCHER_URL: this.dispatcher.url,
      PLANE_URL: this.plane.url,
      PLANE_WORKSPACE: WORKSPACE,
      PLANE_GIT_REPOSITORY: 'acme/plans',
      PLANE_GIT_API_URL: this.git.url,
      N8N_URL: this.n8n.url,
      SLACK_API_URL: this.slack.apiUrl,
      GITHUB_API_URL: this.github.proxy.url,
      GITHUB_REPOSITORIES: 'acme/shop',
    };
  }

  /** What each was asked on behalf of a call; what a prober or a session asks for its own sake is left out. */
  get asked(): Readonly<Record<string, AskedOfBackend[]>> {
    const seen = (requests: readonly { method: string; url: string; headers: object; body: string | Buffer }[]) =>
      requests.map(({ method, url, headers, body }) => ({
        method,
        at: url,
        headers: headers as AskedOfBackend['headers'],
        body: body.toString(),
      }));
    const plane = this.plane.requests.map(({ method, path, headers, body }) => ({
      method,
      at: path,
      headers,
      body: JSON.stringify(body),
    }));
    const all: Record<string, AskedOfBackend[]> = {
      cluster: seen(this.cluster.requests).filter(({ body }) => body.includes('"tools/call"')),
      dispatcher: seen(this.dispatcher.requests),
      plane,
      git: seen(this.git.requests),
      n8n: seen(this.n8n.requests),
      slack: seen(this.slack.proxy.requests),
      github: seen(this.github.proxy.requests),
    };
    const probe =
      /^\/(healthz|api\/v1\/users\/me\/|api\/v1\/workflows\?limit=1|api\/auth\.test|rate_limit|repos\/acme\/plans\/branches\/plane)$/;
    return Object.fromEntries(
      Object.entries(all).map(([name, requests]) => [name, requests.filter(({ at }) => !probe.test(at))]),
    );
  }

  /** The hosts and ports that nobody outside may learn. */
  get places(): string[] {
    const { env } = this;
    const urls = [...Object.values(env).filter((value) => value.startsWith('http')), this.kubernetes.url];
    return [...new Set([...urls, this.kubernetesMcp.url].map((url) => new URL(url).host))];
  }

  async close(): Promise<void> {
    const { cluster, kubernetesMcp, kubernetes, dispatcher, plane, git, n8n, slack, github } = this;
    await cluster.close();
    for (const double of [kubernetesMcp, kubernetes, dispatcher, plane, git, n8n, slack, github]) await double.close();
  }
}
