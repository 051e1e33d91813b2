import { Fault } from '@portico/contracts';

interface Waiting {
  live(): boolean;
  go(admitted: boolean): void;
}

/**
 * Lets so many work at a time, the others in the order in which they came. Whose time will be over before an answer is there has no turn:
 * else, while more is asked than can be answered, everybody would be answered just too late.
 */
export class LookUpTurns {
  private running = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly width: number,
    private readonly mostWaiting: number,
  ) {}

  /** `live`: whether there is time left. Rejects with TIMEOUT when there is not, with BACKEND_UNAVAILABLE when too many wait. */
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
    for (let first = this.waiting.shift(); first !== undefined; first = this.waiting.shift()) {
      const live = first.live();
      first.go(live);
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
