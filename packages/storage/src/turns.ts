/** One at a time for each key, in the order they came; different keys do not wait for each other. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.last.set(key, settled);
    void settled.then(() => this.last.get(key) === settled && this.last.delete(key));
    return mine;
  }

  /** Resolves when all that came before it are done. */
  async idle(): Promise<void> {
    await Promise.all(this.last.values());
  }
}
