import { type Log } from '@portico/observe';
import { type JSONWebKeySet, type JWTVerifyGetKey, type LocalJWKSet, createLocalJWKSet, errors } from 'jose';
import { fetchKeySet } from './fetch-key-set.js';

/** Milliseconds. */
export interface KeyTiming {
  /** The keys are fetched again after this, so that a withdrawn one is used no longer. */
  readonly refreshMs: number;
  /** And after this while they can not be fetched. */
  readonly retryMs: number;
  /** Between two fetches that tokens of unknown keys cause; doubled by each that brought nothing new, up to `retryMs`. */
  readonly restMs: number;
  /** Keys that could not be fetched again for so long are used no more. */
  readonly keepMs: number;
  readonly timeoutMs: number;
}

export const KEY_TIMING: KeyTiming = {
  refreshMs: 300_000,
  retryMs: 30_000,
  restMs: 1_000,
  keepMs: 86_400_000,
  timeoutMs: 5_000,
};

/** Tokens that wait for one fetch; so many fewer than are verified at once that those of known keys find room beside them. */
const MOST_WAITING = 128;

/** Nothing can be said about a token now, because the issuer's keys are not to be had. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';

  constructor(readonly retryAfterMs: number) {
    super("The issuer's keys can not be had now.");
  }
}

/** The issuer's public keys: fetched early and again and again, and at once, but rarely, for a key that is not among them. */
export class KeySet {
  private keys: LocalJWKSet | undefined;
  private fingerprint: string | undefined;
  private fetchedAt = -Infinity;
  private triedAt = -Infinity;
  private rest: number;
  private failing = false;
  private fetching: Promise<void> | undefined;
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly closing = new AbortController();

  /** `changed` is called when other keys than before were found. */
  constructor(
    private readonly url: string,
    private readonly log: Log,
    private readonly changed: () => void,
    private readonly timing: KeyTiming,
  ) {
    this.rest = timing.restMs;
    void this.fetch();
  }

  /** The key that a token says it was signed with. Throws KeysUnavailable, or what jose throws where there is no such key. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.usable() === undefined) await this.fetchRarely();
    const keys = this.usable();
    if (keys === undefined) throw this.unavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await this.fetchRarely();
    const newer = this.usable();
    // It may be among keys that were made since: nobody can tell.
    if (newer === undefined || this.failing) throw this.unavailable();
    return newer(header, token);
  };

  close(): void {
    clearTimeout(this.timer);
    this.closing.abort();
  }

  private usable(): LocalJWKSet | undefined {
    return performance.now() - this.fetchedAt < this.timing.keepMs ? this.keys : undefined;
  }

  private unavailable(): KeysUnavailable {
    return new KeysUnavailable(Math.max(1_000, this.triedAt + this.rest - performance.now()));
  }

  private async fetchRarely(): Promise<void> {
    if (this.fetching === undefined && performance.now() - this.triedAt < this.rest) return;
    if (this.waiting >= MOST_WAITING) throw this.unavailable();
    this.waiting += 1;
    await this.fetch();
    this.waiting -= 1;
  }

  private fetch(): Promise<void> {
    this.fetching ??= this.fetchOnce().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  private async fetchOnce(): Promise<void> {
    clearTimeout(this.timer);
    const { timeoutMs, restMs, retryMs, refreshMs } = this.timing;
    let news = false;
    try {
      const found = await fetchKeySet(this.url, AbortSignal.any([this.closing.signal, AbortSignal.timeout(timeoutMs)]));
      news = this.take(found);
      this.fetchedAt = performance.now();
      if (this.failing) this.log.info('issuer-keys.back');
      this.failing = false;
    } catch (error) {
      if (this.closing.signal.aborted) return;
      if (!this.failing)
        this.log.warn('issuer-keys.fetch-failed', { setting: 'JWT_JWKS_URL', reason: reasonOf(error) });
      this.failing = true;
    }
    if (this.closing.signal.aborted) return;
    this.triedAt = performance.now();
    this.rest = news ? restMs : Math.min(this.rest * 2, retryMs);
    this.timer = setTimeout(() => void this.fetch(), this.failing ? retryMs : refreshMs).unref();
  }

  /** Whether they are others than before. Throws when they are no key set. */
  private take(found: JSONWebKeySet): boolean {
    const keys = createLocalJWKSet(found);
    const fingerprint = JSON.stringify(found.keys.map((key) => JSON.stringify(Object.entries(key).sort())).sort());
    if (fingerprint === this.fingerprint) return false;
    const first = this.fingerprint === undefined;
    this.keys = keys;
    this.fingerprint = fingerprint;
    if (!first) {
      this.log.info('issuer-keys.changed', { keys: found.keys.length });
      this.changed();
    }
    return true;
  }
}

/** One phrase: neither where the issuer is nor what it answered. */
const reasonOf = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'The key set is not JSON.';
  const { message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
};
