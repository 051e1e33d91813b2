import type { Log } from '@portico/observe';

/** What a store is asked; that it fails is told once until it works again, and not at each attempt. */
export class StoreUse {
  #failing = false;

  constructor(
    private readonly store: 'documents' | 'shared state',
    private readonly log: Log,
  ) {}

  /** Rejects with what the work rejects with. */
  async attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    const { store } = this;
    try {
      const value = await work();
      if (this.#failing) this.log.info('store.works-again', { store });
      this.#failing = false;
      return value;
    } catch (error) {
      if (!this.#failing) this.log.warn('store.failed', { store, error });
      this.#failing = true;
      throw error;
    }
  }
}
