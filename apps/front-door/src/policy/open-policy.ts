import { lstatSync } from 'node:fs';
import type { Log } from '@portico/observe';
import { SettingError, WatchedFile } from '@portico/settings';
import { type AuthMode, buildPolicy } from './build-policy.js';
import type { Policy, PolicyInForce } from './policy.js';
import { PolicyFileError, parsePolicyFile, readPolicyFile } from './policy-file.js';

export interface PolicyOptions {
  /** Absolute path of the policy file. */
  readonly file: string;
  /** The operator named it: it must be there at the start. */
  readonly explicit: boolean;
  readonly authMode: AuthMode;
  readonly log: Log;
}

/**
 * Reads the policy and keeps watching its file. Throws a SettingError that names POLICY_FILE when the file that is there at
 * the start can not be used. Close it: it holds a watcher and a timer.
 */
export const openPolicy = (options: PolicyOptions): PolicyInForce & { close(): void } => new PolicyOfFile(options);

class PolicyOfFile implements PolicyInForce {
  readonly #listeners: ((policy: Policy) => void)[] = [];
  readonly #watched: WatchedFile;
  #policy: Policy;
  #text: string | undefined;
  /** Why the file as it is now is not what is in force. */
  #refused: string | undefined;

  constructor(private readonly options: PolicyOptions) {
    const { file, explicit, authMode } = options;
    this.#policy = buildPolicy({}, authMode).policy;
    try {
      if (explicit || isThere(file)) this.#take();
    } catch (error) {
      if (!(error instanceof PolicyFileError)) throw error;
      throw new SettingError('POLICY_FILE', error.message);
    }
    this.#watched = new WatchedFile(file, () => this.#look());
  }

  get current(): Policy {
    return this.#policy;
  }

  onChange(listener: (policy: Policy) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#watched.close();
  }

  /** Puts the file into force as it is now; throws a PolicyFileError, and changes nothing, when it can not be used. */
  #take(): boolean {
    const { file, authMode, log } = this.options;
    const text = readPolicyFile(file);
    if (text === this.#text) return false;
    const { policy, warnings } = buildPolicy(parsePolicyFile(file, text), authMode);
    this.#text = text;
    if (policy.revision === this.#policy.revision) return false;
    this.#policy = policy;
    log.info('policy.read', { revision: policy.revision });
    for (const warning of warnings) log.warn('policy.rule-without-effect', { warning });
    return true;
  }

  /**
   * A file that is gone keeps its policy too: editors delete before they write, and what was denied must not be open
   * in between. `{}` is how a policy is given up.
   */
  #look(): void {
    const { file, log } = this.options;
    if (this.#text === undefined && !isThere(file)) return;
    let changed: boolean;
    try {
      changed = this.#take();
    } catch (error) {
      if (!(error instanceof PolicyFileError)) return log.error('policy.failed', { error });
      if (this.#refused !== error.message) log.warn('policy.not-used', { reason: error.message });
      this.#refused = error.message;
      return;
    }
    if (this.#refused !== undefined && !changed) log.info('policy.as-before', { revision: this.#policy.revision });
    this.#refused = undefined;
    if (!changed) return;
    for (const listener of this.#listeners) listener(this.#policy);
  }
}

/** A link that leads nowhere is there: whoever made it meant a policy to be in force. */
const isThere = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Reading it says why not.
    return true;
  }
};
