import { readConfig, startAdapterGithub } from '@portico/adapter-github';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { Fault, callTool } from '@portico/contracts';
import { createLog } from '@portico/observe';
import { GithubDouble, OWNER, REPOSITORY, TOKEN } from './github-double.js';

export const LISTED = `${OWNER}/${REPOSITORY}, ${OWNER}/empty`;
export const SHOP = { repository: `${OWNER}/${REPOSITORY}` };

/** A GitHub, and the adapter before it on a bus of its own. All that ever leaves the adapter is in `seen` and `lines`. */
export class GithubWorld {
  readonly seen: unknown[] = [];
  readonly lines: string[] = [];
  private served: { close(): Promise<void> } | undefined;

  private constructor(
    readonly github: GithubDouble,
    readonly bus: Bus,
  ) {}

  static async start(env: Record<string, string> = { GITHUB_TOKEN: TOKEN }): Promise<GithubWorld> {
    const github = await GithubDouble.start();
    const world = new GithubWorld(github, memoryBus());
    world.served = await startAdapterGithub(
      world.bus,
      readConfig({ GITHUB_API_URL: github.url, GITHUB_REPOSITORIES: LISTED, ...env })!,
      createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void world.lines.push(line) }),
    );
    return world;
  }

  async call(
    tool: string,
    args: Record<string, unknown> = {},
    options: { signal?: AbortSignal; deadlineMs?: number } = {},
  ): Promise<any> /* eslint-disable-line @typescript-eslint/no-explicit-any -- answers are asserted, not typed */ {
    const asked = { deadlineMs: 20_000, ...options };
    const result = await this.bus.ask(callTool('domain.github'), { tool, arguments: args }, asked);
    this.seen.push(result);
    return JSON.parse(String(result.content?.[0]?.['text']));
  }

  /** The fault that a call ends with. */
  fault(tool: string, args: Record<string, unknown> = {}, options: { deadlineMs?: number } = {}): Promise<Fault> {
    return this.call(tool, args, options).then(
      (answer: unknown) => Promise.reject(new Error(`it did not fail: ${JSON.stringify(answer)}`)),
      (error: unknown) => {
        const fault = Fault.from(error);
        this.seen.push(fault.toRecord());
        return fault;
      },
    );
  }

  async close(): Promise<void> {
    await this.served?.close();
    await this.bus.close();
    await this.github.close();
  }
}
