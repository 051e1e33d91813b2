import { readFileSync } from 'node:fs';
import type { Word } from './words.js';

/** English words by how common they are; its origin is in the calibration's README. */
const LIST = new URL('../../calibration/common-words.txt', import.meta.url);
let ranks: ReadonlyMap<string, number> | undefined;

/** From 0, as common as "the", to 1, not among the common words. */
export function rarityOf({ folded }: Word): number {
  ranks ??= new Map(
    readFileSync(LIST, 'utf8')
      .trim()
      .split(/\s+/)
      .map((word, rank) => [word, rank]),
  );
  const rank = ranks.get(folded);
  return rank === undefined ? 1 : (0.9 * Math.log2(rank + 2)) / Math.log2(ranks.size + 2);
}
