/** A time in which somebody was right to think that it held a resource; moments by one clock. */
export interface Hold {
  readonly resource: string;
  readonly holder: string;
  readonly fence: number;
  /** When it learnt of the grant. */
  readonly from: number;
  /** The last moment at which it asked and was told, or was sure by its own release, that it still held it. */
  readonly to: number;
}

/** Everything in a history that leases must never let happen, a sentence each: two holders at once, a fence that did not grow. */
export function historyProblems(history: readonly Hold[]): string[] {
  const problems: string[] = [];
  const byResource = new Map<string, Hold[]>();
  for (const hold of history) {
    if (!(hold.from <= hold.to)) problems.push(`${shown(hold)} ends before it begins.`);
    const there = byResource.get(hold.resource);
    if (there) there.push(hold);
    else byResource.set(hold.resource, [hold]);
  }
  for (const holds of byResource.values()) {
    const inOrder = holds.sort((a, b) => a.from - b.from);
    let longest = inOrder[0]!;
    let highest = inOrder[0]!;
    for (const hold of inOrder.slice(1)) {
      if (hold.from <= longest.to) problems.push(`${shown(hold)} overlaps ${shown(longest)}.`);
      if (!(hold.fence > highest.fence)) problems.push(`${shown(hold)} has no larger fence than ${shown(highest)}.`);
      if (hold.to > longest.to) longest = hold;
      if (hold.fence > highest.fence) highest = hold;
    }
  }
  return problems;
}

const shown = ({ resource, holder, fence, from, to }: Hold): string =>
  `${holder} on ${resource} (fence ${fence}, ${from} to ${to})`;
