import type { Incoming } from '@portico/bus';
import { Fault } from '@portico/contracts';
import type { CataloguePage, SourceAddress } from '@portico/contracts';
import { pageAt, parseCursor } from '@portico/domain-kit';
import type { ChangeAnnouncer } from './change-announcer.js';
import type { KnownSources } from './known-sources.js';
import type { LearntCatalogues } from './learnt-catalogues.js';
import type { Prober } from './prober.js';
import { untilAborted } from './until-aborted.js';

/** One source's catalogue for who asks for it by name: from memory, or from the source, or from another replica. */
export class SourceReader {
  constructor(
    private readonly known: KnownSources,
    private readonly learnt: LearntCatalogues,
    private readonly prober: Prober,
    private readonly announcer: ChangeAnnouncer,
  ) {}

  /**
   * A page of one source's catalogue. One that was never reached is asked first; one that is no longer fresh is answered
   * from memory while it is asked. Throws NOT_FOUND for a source nobody serves, INVALID_ARGUMENTS for a cursor of a
   * catalogue that has changed since, and the Fault of the probe.
   */
  async page(
    source: SourceAddress,
    cursor: string | undefined,
    { signal }: Pick<Incoming, 'signal'>,
  ): Promise<CataloguePage> {
    if (!this.known.get(source))
      throw new Fault('NOT_FOUND', 'No such source has announced itself.', { executed: 'no' });
    this.learnt.states.used(source);
    const start = cursor === undefined ? undefined : parseCursor(cursor);
    if (start === undefined) await this.#ensureAsked(source, signal);
    else if (this.learnt.states.revision(source) !== start.revision) await this.takeUp(source);
    const snapshot = await this.learnt.snapshot(source);
    this.announcer.touch(source);
    if (snapshot === undefined && start === undefined) {
      // What was remembered can not be read: it is asked after all.
      await untilAborted(this.prober.now(source), signal);
      return this.page(source, undefined, { signal });
    }
    if (snapshot === undefined || (start !== undefined && snapshot.revision !== start.revision)) {
      throw new Fault(
        'INVALID_ARGUMENTS',
        'The catalogue has changed since this cursor was given; start again without one.',
      );
    }
    return pageAt(snapshot, start?.start ?? 0);
  }

  async takeUp(source: SourceAddress): Promise<void> {
    if (this.prober.isRunning(source)) return;
    await this.learnt.takeUp(source);
    this.announcer.touch(source);
  }

  async #ensureAsked(source: SourceAddress, signal: AbortSignal): Promise<void> {
    if (this.learnt.states.isKept(source)) {
      if (this.learnt.states.isDue(source)) this.prober.soon(source);
      return;
    }
    const isHeld = this.learnt.states.revision(source) !== undefined;
    try {
      await untilAborted(this.prober.now(source), signal);
    } catch (error) {
      if (!isHeld) throw error;
    }
  }
}
