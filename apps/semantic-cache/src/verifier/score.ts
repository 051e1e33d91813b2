import { readFileSync } from 'node:fs';

/** What the calibration script writes: trees whose leaves add up to the odds that one text's answer is the other's. */
export interface Coefficients {
  /** Names of the features that the trees ask for, by number. */
  readonly features: readonly string[];
  readonly base: number;
  /** Each a list of nodes: [feature, threshold, node if at most that, node otherwise], or [value]. */
  readonly trees: readonly (readonly (readonly number[])[])[];
  /** Straightens the odds, so that a score of 0.95 has the precision that was calibrated to, in each language. */
  readonly slope: number;
  readonly shift: { readonly english: number; readonly french: number };
}

const FILE = new URL('../../calibration/coefficients.json', import.meta.url);
let shipped: Coefficients | undefined;

type Features = Readonly<Record<string, number>>;

/** Probability, calibrated, that the answer to one text of a pair answers the other. Throws when the coefficients ask for other features. */
export const scoreOf = (features: Features, coefficients = readShipped()): number =>
  scoreOfOdds(oddsOf(features, coefficients), features, coefficients);

export function scoreOfOdds(
  odds: number,
  features: Features,
  { slope, shift }: Pick<Coefficients, 'slope' | 'shift'>,
): number {
  const straight = slope * odds + (features['french'] === 1 ? shift.french : shift.english);
  return 1 / (1 + Math.exp(-straight));
}

function oddsOf(features: Features, { features: names, base, trees }: Coefficients): number {
  const values = names.map((name) => features[name] ?? Number.NaN);
  if (values.some((value) => !Number.isFinite(value))) throw new Error('Coefficients of other features.');
  let odds = base;
  for (const tree of trees) {
    let node = tree[0]!;
    while (node.length > 1) node = tree[values[node[0]!]! <= node[1]! ? node[2]! : node[3]!]!;
    odds += node[0]!;
  }
  return odds;
}

const readShipped = (): Coefficients => (shipped ??= JSON.parse(readFileSync(FILE, 'utf8')) as Coefficients);
