import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import type { DeclaredChange } from '../declared/declared-files.js';
import type { Project } from '../replies.js';
import type { ApiWrites } from './api-writes.js';
import { gitOf } from './git-writes.js';
import type { GitWrites } from './git-writes.js';
import type { Target, WorkItemFields, WorkItemWrites, Written } from './work-item-writes.js';

/** Writes to the declared file, and then the same through the Plane API. */
export class DualWrites implements WorkItemWrites {
  constructor(
    private readonly git: GitWrites,
    private readonly api: ApiWrites,
  ) {}

  async create(project: Project, fields: WorkItemFields & { name: string }, scope: CallScope): Promise<Written> {
    // What Plane would refuse is found before the commit, as far as it can be.
    const apply = await this.api.prepareCreate(project, fields, scope);
    const { externalId, change } = await this.git.declareNew(project, fields, scope);
    const written = await orPartial(apply(externalId), `${externalId} of ${project.identifier}`, change, scope);
    return { ...written, external_id: externalId, written_to: ['git', 'plane'], git: gitOf(change) };
  }

  async update(target: Target, fields: WorkItemFields, scope: CallScope): Promise<Written> {
    const apply = await this.api.prepareUpdate(target, fields, scope);
    const change = await this.git.declare(target, fields, scope);
    const written = await orPartial(apply(), target.name, change, scope);
    return { ...written, written_to: ['git', 'plane'], git: gitOf(change) };
  }

  /** Comments are not declared: they go to Plane alone. */
  comment(target: () => Promise<Target>, text: string, scope: CallScope): Promise<Written> {
    return this.api.comment(target, text, scope);
  }

  check(scope: CallScope): Promise<void> {
    return this.git.check(scope);
  }

  async close(): Promise<void> {
    await this.git.close();
    await this.api.close();
  }
}

/** After a commit nothing is merely a failure: what was done has to be told, or it would be done again. */
async function orPartial(
  applied: Promise<Written>,
  what: string,
  { branch, path, commit, unchanged }: DeclaredChange,
  scope: CallScope,
): Promise<Written> {
  try {
    return await applied;
  } catch (error) {
    // Nothing had to be committed: this is the failure of a write to Plane, and that alone.
    if (unchanged) throw error;
    const { code, executed, message } = Fault.from(error);
    scope.log.error('plane.partially-applied', { branch, path, commit, code, executed });
    const plane = executed === 'no' ? 'Plane was not changed' : 'whether Plane was changed is not known';
    throw new Fault(
      'PARTIALLY_APPLIED',
      `Half done: do not repeat the call, or it is done twice. Done: ${what} is declared in git, in ${path} on the branch ${branch}, commit ${commit?.slice(0, 12) ?? 'not known'}. Not done: ${plane} (${code}: ${message.slice(0, 120)}). What is declared reaches Plane when it is reconciled.`,
      { cause: error },
    );
  }
}
