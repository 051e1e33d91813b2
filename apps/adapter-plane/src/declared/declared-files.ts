import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@portico/contracts';
import type { CallScope } from '@portico/domain-kit';
import { unfit } from './declared-document.js';
import type { GitClient, GitFile } from './git-client.js';
import { isRace } from './git-faults.js';
import { nothingWritten } from '../nothing-written.js';
import { Turns } from './turns.js';

const MOST_TRIES = 5;
/** Pauses after a lost race are random, up to this and twice as long each time. */
const FIRST_PAUSE_MS = 250;

/** Where a change of a declared file is now. */
export interface DeclaredChange {
  readonly branch: string;
  readonly path: string;
  /** Absent when the file said so already, and when a lost answer leaves the commit's name unknown. */
  readonly commit?: string;
  readonly unchanged?: boolean;
}

/** The declared files of all projects: edited one at a time, each edit on what is there at that moment. */
export class DeclaredFiles {
  private readonly turns = new Turns();

  /** `pattern`: the path of a file, with `{project}` where the project's identifier goes. */
  constructor(
    private readonly git: GitClient,
    private readonly branch: string,
    private readonly pattern: string,
  ) {}

  /**
   * Commits what `edit` makes of the file's text. A race with another writer is run again on the new text, 5 times in all;
   * everything else is a Fault that says whether the commit may be there.
   */
  edit(project: string, message: string, edit: (text: string) => string, scope: CallScope): Promise<DeclaredChange> {
    const file = this.pattern.replaceAll('{project}', project);
    return this.turns.take(file, scope.signal, async () => {
      for (let tries = 1; ; tries++) {
        const before = await nothingWritten(this.read(file, project, scope));
        const text = textOf(before);
        const content = edit(text);
        if (content === text) return { branch: this.branch, path: file, unchanged: true };
        try {
          return await this.write({ file, message: messageOf(message, scope), content, sha: before.sha }, scope);
        } catch (error) {
          if (!isRace(error)) return await this.settled(file, edit, error, scope);
          if (tries === MOST_TRIES) throw new Fault('CONFLICT', ALL_LOST, { cause: error, executed: 'no' });
          await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (tries - 1), undefined, { signal: scope.signal }).catch(
            () => {
              throw new Fault('CANCELLED', 'The call ended before the declared file was changed.', { executed: 'no' });
            },
          );
        }
      }
    });
  }

  /** Throws unless the branch is there and may be read. */
  check(scope: CallScope): Promise<void> {
    return this.git.check(scope);
  }

  close(): Promise<void> {
    return this.git.close();
  }

  private async read(file: string, project: string, scope: CallScope): Promise<GitFile> {
    try {
      return await this.git.read(file, scope);
    } catch (error) {
      if (Fault.from(error).code !== 'NOT_FOUND') throw error;
      const missing = `There is no declared file for ${project} on the branch ${this.branch}: a person has to add ${file} first.`;
      throw new Fault('NOT_FOUND', missing, { cause: error });
    }
  }

  private async write(write: Parameters<GitClient['write']>[0], scope: CallScope): Promise<DeclaredChange> {
    const { sha, created } = await this.git.write(write, scope);
    if (!created) return { branch: this.branch, path: write.file, commit: sha };
    scope.log.error('plane.declared-file-came-back', { branch: this.branch, file: write.file, commit: sha });
    throw new Fault(
      'PARTIALLY_APPLIED',
      `Somebody deleted ${write.file} on the branch ${this.branch} meanwhile, and this change made it anew, whole, by commit ${sha.slice(0, 12)}. Nothing else was done. A person has to say whether the file is to be there; do not repeat the call.`,
    );
  }

  /** A write whose answer was lost is done when the file says so; else what is known of it stays as it is. */
  private async settled(
    file: string,
    edit: (text: string) => string,
    error: unknown,
    scope: CallScope,
  ): Promise<DeclaredChange> {
    const { code, executed } = Fault.from(error);
    if (executed === 'unknown' && (code === 'BACKEND_UNAVAILABLE' || code === 'UNKNOWN_ERROR')) {
      const now = await this.git.read(file, scope).then(textOf, () => undefined);
      if (now !== undefined && edit(now) === now) return { branch: this.branch, path: file };
    }
    throw error;
  }
}

const ALL_LOST = `Others changed the declared file each of the ${MOST_TRIES} times that this was tried. Nothing was changed; try again in a moment.`;

function textOf({ bytes }: GitFile): string {
  const text = bytes.toString('utf8');
  // What does not survive the way to text and back would be changed without anybody asking for it.
  if (!Buffer.from(text).equals(bytes) || text.startsWith('\ufeff')) throw unfit('It is no UTF-8 text.');
  return text;
}

const messageOf = (message: string, { context }: CallScope): string =>
  context ? `${message}\n\nPortico-Correlation-Id: ${context.correlationId}` : message;
