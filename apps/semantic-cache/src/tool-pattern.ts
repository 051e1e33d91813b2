/**
 * A pattern over names of tools: `*` is any part of one segment, a segment `**` any number of segments, none included; `*` alone
 * is every tool. What it costs is linear in the name, since a pattern is short.
 */
export class ToolPattern {
  /** The runs of segments between the `**`, each segment as its pieces between the `*`. */
  readonly #runs: readonly (readonly (readonly string[])[])[];

  constructor(readonly pattern: string) {
    const runs: string[][][] = [[]];
    for (const segment of (pattern === '*' ? '**' : pattern).split('.')) {
      if (segment === '**') runs.push([]);
      else runs.at(-1)!.push(segment.split(/\*+/));
    }
    this.#runs = runs;
  }

  matches(name: string): boolean {
    const segments = name.split('.');
    const runs = this.#runs;
    const fits = (run: (typeof runs)[number], at: number): boolean =>
      run.every((pieces, index) => segmentMatches(pieces, segments[at + index]!));
    const first = runs[0]!;
    if (runs.length === 1) return segments.length === first.length && fits(first, 0);
    const last = runs.at(-1)!;
    const room = segments.length - last.length;
    let at = first.length;
    if (at > room || !fits(first, 0) || !fits(last, room)) return false;
    // The leftmost place for each run leaves the most room for those after it: no other needs to be tried.
    for (const run of runs.slice(1, -1)) {
      while (at + run.length <= room && !fits(run, at)) at += 1;
      if (at + run.length > room) return false;
      at += run.length;
    }
    return true;
  }
}

const segmentMatches = (pieces: readonly string[], text: string): boolean => {
  const first = pieces[0]!;
  if (pieces.length === 1) return text === first;
  const last = pieces.at(-1)!;
  const room = text.length - last.length;
  let at = first.length;
  if (at > room || !text.startsWith(first) || !text.endsWith(last)) return false;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > room) return false;
    at = found + piece.length;
  }
  return true;
};
