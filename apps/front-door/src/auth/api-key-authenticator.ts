import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { WatchedFile } from '@portico/settings';
import type { Refusal } from '../http-guards.js';
import { hashOfApiKey, idOfApiKey } from './api-key.js';
import type { Authenticator } from './authenticator.js';
import { Challenges } from './challenges.js';
import { type KeyEntry, keysIn, readKeyText } from './key-file.js';
import { CALL_SCOPE } from './principal-names.js';
import { readCredential } from './read-credential.js';

interface KnownKey {
  readonly hash: Buffer;
  readonly principal: Principal;
}

/**
 * `AUTH_MODE=api-key`: keys of a file, which is read again within about a second of a change. One that can not be used then
 * changes nothing; one that is gone leaves no keys. Its constructor throws one sentence for a file that can not be used.
 */
export class ApiKeyAuthenticator implements Authenticator {
  private keys: ReadonlyMap<string, KnownKey> = new Map();
  /** What the file said when it was last taken. */
  private text: string | undefined;
  private readonly watched: WatchedFile;
  private readonly challenges = new Challenges({ hint: 'Send Authorization: Bearer, and an API key after it.' });
  /** What was wrong with the file when it was last read, so that it is said once. */
  private wrong: string | undefined;

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {
    this.take(readKeyText(file));
    this.watched = new WatchedFile(file, () => this.readAgain());
  }

  authenticate(req: IncomingMessage): Principal | Refusal {
    const key = readCredential(req, 'authorization', this.challenges);
    if (typeof key !== 'string') return key;
    const known = this.keys.get(idOfApiKey(key) ?? '');
    if (known === undefined || !timingSafeEqual(hashOfApiKey(key), known.hash))
      return this.challenges.invalidToken(req, 'The API key is not known here, or no longer.');
    const { principal } = known;
    return principal.scopes.includes(CALL_SCOPE) ? principal : this.challenges.insufficientScope(req);
  }

  close(): void {
    this.watched.close();
  }

  private readAgain(): void {
    try {
      this.take(readKeyText(this.file));
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.wrong) this.log.error('keys.not-used', { reason: message });
      this.wrong = message;
    }
  }

  private take(text: string | undefined): void {
    // Whatever is written beside the file has it looked at again.
    if (text !== undefined && text === this.text) {
      this.wrong = undefined;
      return;
    }
    const entries = text === undefined ? undefined : keysIn(this.file, text);
    const before = this.keys;
    this.text = text;
    this.keys = new Map((entries ?? []).map((entry) => [entry.id, known(entry, before.get(entry.id))]));
    const absent = entries === undefined ? 'absent' : undefined;
    if (absent !== undefined && this.wrong !== absent) {
      this.log.warn('keys.absent', { setting: 'API_KEYS_FILE', remedy: 'npm run keys -- create' });
    } else if (entries !== undefined) this.log.info('keys.read', { count: entries.length });
    this.wrong = absent;
  }
}

/** A key that did not change keeps its principal: others keep what they worked out with it. */
function known({ hash, subject, tenant, scopes }: KeyEntry, before: KnownKey | undefined): KnownKey {
  const principal: Principal = Object.freeze({ tenant, subject, scopes: Object.freeze([...scopes]) as string[] });
  const same = before !== undefined && JSON.stringify(before.principal) === JSON.stringify(principal);
  return { hash: Buffer.from(hash, 'hex'), principal: same ? before.principal : principal };
}
