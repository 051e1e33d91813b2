import type { Principal } from '@portico/contracts';

const MOST = 10_000;

interface Entry {
  readonly principal: Principal;
  /** By the monotonic clock, which nobody sets. */
  readonly until: number;
  /** By the wall clock, as issuers count. */
  readonly expiresAt: number;
}

/** Whose tokens were verified lately, by their hashes: never past their expiry, at most so long, and at most 10,000. */
export class RememberedTokens {
  private readonly entries = new Map<string, Entry>();
  private forgotten = 0;

  constructor(private readonly rememberMs: number) {}

  get(digest: string): Principal | undefined {
    const entry = this.entries.get(digest);
    if (entry === undefined) return undefined;
    if (performance.now() < entry.until && Date.now() < entry.expiresAt) return entry.principal;
    this.entries.delete(digest);
    return undefined;
  }

  /** What `remember` takes: a verification that began before all was forgotten is not remembered. */
  get era(): number {
    return this.forgotten;
  }

  /** `expiresAt` is in milliseconds since 1970. */
  remember(digest: string, principal: Principal, expiresAt: number, era: number): void {
    if (era !== this.forgotten) return;
    // All last as long, so the oldest is the next to go anyway: nothing is moved when it is found.
    const [oldest] = this.entries.size >= MOST ? this.entries.keys() : [];
    if (oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(digest, { principal, until: performance.now() + this.rememberMs, expiresAt });
  }

  forgetAll(): void {
    this.entries.clear();
    this.forgotten++;
  }
}
