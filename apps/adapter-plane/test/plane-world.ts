import { memoryBus } from '@portico/bus';
import { readConfig, startAdapterPlane } from '@portico/adapter-plane';
import { createLog } from '@portico/observe';
import { AskedDomain } from '@portico/testkit';
import { BRANCH, GIT_TOKEN, GitDouble, OWNER, REPOSITORY } from './git-double.js';
import { PlaneDouble } from './plane-double.js';
import { WORKSPACE } from './plane-records.js';

export const PLANE_KEY = 'plane_api_00000000000000000000000000000001';
const CONTEXT = { correlationId: 'c-1', principal: { tenant: 't', subject: 's' } };

/** A Plane and a GitHub, and adapters on buses of their own before them. */
export class PlaneWorld {
  readonly lines: string[] = [];
  private readonly closers: (() => Promise<void>)[] = [];

  private constructor(
    readonly plane: PlaneDouble,
    readonly git: GitDouble,
  ) {}

  static async start(): Promise<PlaneWorld> {
    return new PlaneWorld(await PlaneDouble.start(), await GitDouble.start());
  }

  environment(env: Record<string, string> = {}): Record<string, string> {
    return {
      PLANE_URL: this.plane.url,
      PLANE_WORKSPACE: WORKSPACE,
      ...(env['PLANE_TOKEN_FILE'] === undefined && { PLANE_TOKEN: PLANE_KEY }),
      PLANE_GIT_REPOSITORY: `${OWNER}/${REPOSITORY}`,
      PLANE_GIT_API_URL: this.git.url,
      PLANE_GIT_BRANCH: BRANCH,
      ...(env['PLANE_GIT_TOKEN_FILE'] === undefined && { PLANE_GIT_TOKEN: GIT_TOKEN }),
      ...env,
    };
  }

  log() {
    return createLog({ name: 'test', format: 'json', level: 'debug', write: (line) => void this.lines.push(line) });
  }

  /** One more adapter, as a replica would be. */
  async adapter(env: Record<string, string> = {}): Promise<AskedDomain> {
    const bus = memoryBus();
    const served = await startAdapterPlane(bus, readConfig(this.environment(env))!, this.log());
    this.closers.push(
      () => served.close(),
      () => bus.close(),
    );
    return new AskedDomain(bus, 'domain.plane', { deadlineMs: 30_000, context: CONTEXT });
  }

  async close(): Promise<void> {
    for (const close of this.closers) await close();
    await this.plane.close();
    await this.git.close();
  }
}
