import { Fault } from '@portico/contracts';

interface Waiting {
  live(): boolean;
  go(admitted: boolean): void;
}

/**
 * Lets so many work at a time, the newest of those who wait first: who has waited longest has the least time left, and served in the
 * order of arrival everybody would be served just too late. Who has no time left is not served at all.
 */
export class NewestFirst {
  private running = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly width: number,
    private readonly mostWaiting: number,
  ) {}

  /** `live`: whether it still matters. Rejects with TIMEOUT when it does not, with BACKEND_UNAVAILABLE when too many wait. */
  async run<T>(live: () => boolean, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.width) await this.turn(live);
    else this.running += 1;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private async turn(live: () => boolean): Promise<void> {
    if (this.waiting.length >= this.mostWaiting) this.dropLate();
    if (this.waiting.length >= this.mostWaiting)
      throw new Fault('BACKEND_UNAVAILABLE', 'The response cache has enough to do.', { executed: 'no' });
    const admitted = await new Promise<boolean>((go) => this.waiting.push({ live, go }));
    if (!admitted) throw new Fault('TIMEOUT', 'It came too late.', { executed: 'no' });
  }

  /** Hands a place on, or gives it up. */
  private next(): void {
    for (let newest = this.waiting.pop(); newest !== undefined; newest = this.waiting.pop()) {
      const live = newest.live();
      newest.go(live);
      if (live) return;
    }
    this.running -= 1;
  }

  private dropLate(): void {
    const late = this.waiting.filter(({ live }) => !live());
    if (late.length === 0) return;
    this.waiting = this.waiting.filter((one) => !late.includes(one));
    for (const { go } of late) go(false);
  }
}
