import { readFileSync } from 'node:fs';

/** What the calibration script writes: trees whose leaves add up to the odds that one text's answer is the other's. */
export interface Coefficients {
  /** Names of the features that the trees ask for, by number. */
  readonly features: readonly string[];
  readonly english: Trees;
  readonly french: Trees;
}

interface Trees {
  readonly base: number;
  /** Each a list of nodes: [feature, threshold, node if at most that, node otherwise], or [value]. */
  readonly trees: readonly (readonly (readonly number[])[])[];
  /** Straighten the odds, so that a score of 0.95 has the precision that was calibrated to. */
  readonly slope: number;
  readonly shift: number;
}

type Features = Readonly<Record<string, number>>;
const FILE = new URL('../../calibration/coefficients.json', import.meta.url);
let shipped: Coefficients | undefined;

/** Probability, calibrated, that the answer to one text of a pair answers the other. Throws when the coefficients ask for other features. */
export function scoreOf(features: Features, coefficients = readShipped()): number {
  const values = coefficients.features.map((name) => features[name] ?? Number.NaN);
  if (!values.every(Number.isFinite)) throw new Error('Coefficients of other features.');
  const { base, trees } = treesFor(features, coefficients);
  let odds = base;
  for (const tree of trees) {
    let node = tree[0]!;
    while (node.length > 1) node = tree[values[node[0]!]! <= node[1]! ? node[2]! : node[3]!]!;
    odds += node[0]!;
  }
  return scoreOfOdds(odds, features, coefficients);
}

export function scoreOfOdds(odds: number, features: Features, coefficients: Coefficients): number {
  const { slope, shift } = treesFor(features, coefficients);
  return 1 / (1 + Math.exp(-slope * odds - shift));
}

const treesFor = (features: Features, { english, french }: Coefficients): Trees =>
  features['french'] === 1 ? french : english;

const readShipped = (): Coefficients => (shipped ??= JSON.parse(readFileSync(FILE, 'utf8')) as Coefficients);
