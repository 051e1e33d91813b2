export type Labels = Readonly<Record<string, string>>;

/** Distinct values a label keeps: past that a value is counted as `other`, so that a caller cannot grow the memory. */
const MAX_VALUES = 100;
const MAX_SERIES = 2_000;
const OTHER = 'other';

/** The series of one metric: one state for each combination of label values, bounded in number. */
export class Series<State> {
  readonly #states = new Map<string, { readonly labels: Labels; readonly state: State }>();
  readonly #values = new Map<string, Set<string>>();

  constructor(
    private readonly names: readonly string[],
    private readonly fresh: () => State,
  ) {}

  at(labels: Labels): State {
    let key = '';
    for (const name of this.names) key += `${this.#bounded(name, labels[name] ?? '')}\0`;
    const known = this.#states.get(key);
    if (known) return known.state;
    if (this.#states.size >= MAX_SERIES) return this.#add(`${OTHER}\0`.repeat(this.names.length));
    return this.#add(key);
  }

  map<T>(each: (labels: Labels, state: State) => T): T[] {
    return [...this.#states.values()].map(({ labels, state }) => each(labels, state));
  }

  #add(key: string): State {
    const known = this.#states.get(key);
    if (known) return known.state;
    const values = key.split('\0');
    const labels = Object.fromEntries(this.names.map((name, index) => [name, values[index] ?? '']));
    const state = this.fresh();
    this.#states.set(key, { labels, state });
    return state;
  }

  #bounded(name: string, given: string): string {
    const value = given.includes('\0') ? OTHER : given;
    let seen = this.#values.get(name);
    if (!seen) this.#values.set(name, (seen = new Set()));
    if (seen.has(value)) return value;
    if (seen.size >= MAX_VALUES || value.length > 128) return OTHER;
    seen.add(value);
    return value;
  }
}
