// From compared pairs to coefficients: what is learned, and how it is tested on pairs that it has not seen.
import { boost, valueOf } from './boosting.mjs';
import { seeded } from './swaps.mjs';

/** What the coefficients are calibrated to; found by cross-validation. */
export const PRECISION = { english: 0.99, french: 0.985 };
const TARGET_SCORE = 0.95;
const FOLDS = 5;
const REPEATS = 3;
const OPTIONS = {
  trees: 180,
  depth: 4,
  rate: 0.04,
  rows: 0.6,
  features: 0.3,
  leafRows: 10,
  shrink: 2,
  bags: 2,
  seed: 7,
};

/** @typedef {{ features: Record<string, number>, y: number, weight: number, group: string, counts: boolean }} Example `counts`: it is a candidate of the pairs file */

/** @param {readonly Example[]} examples */
export function fit(examples) {
  const names = Object.keys(examples[0].features);
  const folds = outOfFold(examples, names);
  const slope = slopeOf(examples, folds);
  const cut = { english: operatingPoint(examples, folds, 0), french: operatingPoint(examples, folds, 1) };
  const target = Math.log(TARGET_SCORE / (1 - TARGET_SCORE));
  const shift = { english: target - slope * cut.english, french: target - slope * cut.french };
  return { coefficients: { features: names, ...learn(examples, names), slope, shift }, folds };
}

const learn = (examples, names) =>
  boost(
    examples.map(({ features, y, weight }) => ({ x: Float64Array.from(names, (name) => features[name]), y, weight })),
    OPTIONS,
  );

/** The odds of each example by trees that have not seen its group, once a repeat. */
function outOfFold(examples, names) {
  return Array.from({ length: REPEATS }, (_, repeat) => {
    const fold = foldsOf(examples, repeat);
    const odds = new Float64Array(examples.length);
    for (let left = 0; left < FOLDS; left += 1) {
      const { base, trees } = learn(
        examples.filter((_, i) => fold[i] !== left),
        names,
      );
      examples.forEach(({ features }, i) => {
        if (fold[i] !== left) return;
        const x = Float64Array.from(names, (name) => features[name]);
        odds[i] = trees.reduce((total, tree) => total + valueOf(tree, x), base);
      });
    }
    return odds;
  });
}

function foldsOf(examples, repeat) {
  const random = seeded(1_000 + repeat);
  const groups = new Map(
    [...new Set(examples.map(({ group }) => group))].map((group) => [group, Math.floor(random() * FOLDS)]),
  );
  return examples.map(({ group }) => groups.get(group));
}

/** Makes odds of trees odds of truth: one slope, found by Newton's method on what was held out. */
function slopeOf(examples, folds) {
  let [slope, shift] = [1, 0];
  for (let step = 0; step < 30; step += 1) {
    let [gs, gb, hss, hsb, hbb] = [0, 0, 1e-6, 0, 1e-6];
    for (const odds of folds)
      examples.forEach(({ y, counts }, i) => {
        if (!counts) return;
        const p = 1 / (1 + Math.exp(-slope * odds[i] - shift));
        const w = p * (1 - p);
        gs += (y - p) * odds[i];
        gb += y - p;
        hss += w * odds[i] * odds[i];
        hsb += w * odds[i];
        hbb += w;
      });
    const det = hss * hbb - hsb * hsb;
    slope += (hbb * gs - hsb * gb) / det;
    shift += (hss * gb - hsb * gs) / det;
  }
  return slope;
}

/** The lowest odds from which the precision, over all repeats, is what is asked for. */
function operatingPoint(examples, folds, french) {
  const held = folds.flatMap((odds) =>
    examples.flatMap(({ y, counts, features }, i) =>
      counts && features.french === french ? [{ y, odds: odds[i] }] : [],
    ),
  );
  held.sort((a, b) => b.odds - a.odds);
  const wanted = french ? PRECISION.french : PRECISION.english;
  let right = 0;
  let cut = Infinity;
  held.forEach(({ y, odds }, i) => {
    right += y;
    if (right / (i + 1) >= wanted && odds !== held[i + 1]?.odds) cut = odds;
  });
  if (cut === Infinity) throw new Error('No score reaches the precision that is asked for.');
  return cut;
}

/** Names of groups that texts share, or nearly share: pairs of one group are never on both sides of a fold. */
export function groupsOf(textPairs, vectorOf, dot, likeness = 0.93) {
  const texts = [...new Set(textPairs.flat())];
  const parent = texts.map((_, i) => i);
  const find = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const number = new Map(texts.map((text, i) => [text, i]));
  const join = (i, j) => (parent[find(i)] = find(j));
  for (const [a, b] of textPairs) join(number.get(a), number.get(b));
  const vectors = texts.map(vectorOf);
  for (let i = 0; i < texts.length; i += 1)
    for (let j = 0; j < i; j += 1) if (dot(vectors[i], vectors[j]) >= likeness) join(i, j);
  return textPairs.map(([a]) => String(find(number.get(a))));
}
