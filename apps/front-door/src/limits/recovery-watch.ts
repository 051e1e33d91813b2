/** Before a domain that fails is asked whether it is well: doubled each time that it said so and failed all the same. */
const FIRST_REST_MS = 500;
/** Between questions to one that does not say so. */
const UNWELL_REST_MS = 1_000;

export interface RecoveryWatchOptions {
  /** Asks a domain. A rejection is a no. */
  readonly isWell: (address: string) => Promise<boolean>;
  /** Told of a domain that says that it is well. */
  readonly recovered: (address: string) => void;
  /** Milliseconds that it rests at most before it is asked again. */
  readonly longestRestMs: number;
}

/** Asks domains that can not be reached whether they are well, so that one which is back need not wait its rest out. */
export class RecoveryWatch {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly rests = new Map<string, number>();

  constructor(private readonly options: RecoveryWatchOptions) {}

  begin(address: string): void {
    if (!this.timers.has(address)) this.askLater(address);
  }

  /** Nobody waits for it any more; `worked`: it has done what it was asked. */
  end(address: string, worked: boolean): void {
    clearTimeout(this.timers.get(address));
    this.timers.delete(address);
    if (worked) this.rests.delete(address);
  }

  /** Whether nothing is remembered of any domain. */
  get idle(): boolean {
    return this.timers.size === 0 && this.rests.size === 0;
  }

  close(): void {
    for (const address of this.timers.keys()) this.end(address, true);
    this.rests.clear();
  }

  private askLater(address: string, atLeastMs = 0): void {
    const rest = Math.max(atLeastMs, this.rests.get(address) ?? FIRST_REST_MS);
    const timer = setTimeout(() => void this.ask(address, timer), Math.min(rest, this.options.longestRestMs));
    this.timers.set(address, timer.unref());
  }

  private async ask(address: string, timer: NodeJS.Timeout): Promise<void> {
    const well = await this.options.isWell(address).catch(() => false);
    if (this.timers.get(address) !== timer) return;
    if (!well) return this.askLater(address, UNWELL_REST_MS);
    const rest = this.rests.get(address) ?? FIRST_REST_MS;
    this.rests.set(address, Math.min(rest * 2, this.options.longestRestMs));
    this.timers.delete(address);
    this.options.recovered(address);
  }
}
