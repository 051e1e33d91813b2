import { readConfig, startAdapterGithub } from '@portico/adapter-github';
import { memoryBus } from '@portico/bus';
import { createLog } from '@portico/observe';
import { AskedDomain } from '@portico/testkit';
import { GithubDouble, OWNER, REPOSITORY, TOKEN } from './github-double.js';

export const LISTED = `${OWNER}/${REPOSITORY}, ${OWNER}/empty`;
export const SHOP = { repository: `${OWNER}/${REPOSITORY}` };

/** A GitHub, and the adapter before it on a bus of its own. All that ever leaves the adapter is in `seen` and `lines`. */
export class GithubWorld extends AskedDomain {
  readonly lines: string[] = [];
  private served: { close(): Promise<void> } | undefined;

  private constructor(readonly github: GithubDouble) {
    super(memoryBus(), 'domain.github');
  }

  static async start(env: Record<string, string> = { GITHUB_TOKEN: TOKEN }): Promise<GithubWorld> {
    const world = new GithubWorld(await GithubDouble.start());
    world.served = await startAdapterGithub(
      world.bus,
      readConfig({ GITHUB_API_URL: world.github.proxy.url, GITHUB_REPOSITORIES: LISTED, ...env })!,
      createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void world.lines.push(line) }),
    );
    return world;
  }

  async close(): Promise<void> {
    await this.served?.close();
    await this.bus.close();
    await this.github.close();
  }
}
