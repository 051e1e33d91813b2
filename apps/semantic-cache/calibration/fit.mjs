// From compared pairs to coefficients: what is learned, and how it is tested on pairs that it has not seen.
import { boost, valueOf } from './boosting.mjs';
import { seeded } from './swaps.mjs';

/** What each language's scores are calibrated to, on pairs that the trees have not seen. */
export const PRECISION = { english: 0.99, french: 0.975 };
const TARGET_SCORE = 0.95;
const FOLDS = 5;
const REPEATS = 3;
const OPTIONS = {
  english: { trees: 260, depth: 2, rate: 0.05, rows: 0.6, features: 0.3, leafRows: 10, shrink: 2, bags: 3, seed: 7 },
  french: { trees: 120, depth: 2, rate: 0.05, rows: 0.6, features: 0.3, leafRows: 6, shrink: 2, bags: 4, seed: 7 },
};
const LANGUAGES = /** @type {const} */ (['english', 'french']);
const languageOf = ({ features }) => (features.french === 1 ? 'french' : 'english');
/** French is learned from French alone; English, of which there is more to learn, from both. */
const teaches = (example, language) => language === 'english' || languageOf(example) === 'french';

/** @typedef {{ features: Record<string, number>, y: number, weight: number, group: string, counts: boolean }} Example `counts`: it is a candidate of the pairs file */

/** @param {readonly Example[]} examples @returns coefficients, and for each repeat the odds of each example by trees that have not seen its group */
export function fit(examples) {
  const names = Object.keys(examples[0].features);
  const folds = Array.from({ length: REPEATS }, (_, repeat) => outOfFold(examples, names, repeat));
  const coefficients = { features: names };
  for (const language of LANGUAGES) {
    const held = folds.flatMap((odds) =>
      examples.flatMap((example, i) =>
        example.counts && languageOf(example) === language ? [{ y: example.y, odds: odds[i] }] : [],
      ),
    );
    const slope = slopeOf(held);
    const shift = Math.log(TARGET_SCORE / (1 - TARGET_SCORE)) - slope * operatingPoint(held, PRECISION[language]);
    coefficients[language] = { ...learn(examples, names, language), slope, shift };
  }
  return { coefficients, folds };
}

function learn(examples, names, language) {
  const taught = examples.filter((example) => teaches(example, language));
  const rows = taught.map(({ features, y, weight }) => ({ x: valuesOf(features, names), y, weight }));
  return boost(rows, OPTIONS[language]);
}
const valuesOf = (features, names) => Float64Array.from(names, (name) => features[name]);

function outOfFold(examples, names, repeat) {
  const fold = foldsOf(examples, repeat);
  const odds = new Float64Array(examples.length);
  for (const language of LANGUAGES)
    for (let left = 0; left < FOLDS; left += 1) {
      const seen = examples.filter((_, i) => fold[i] !== left);
      const { base, trees } = learn(seen, names, language);
      examples.forEach((example, i) => {
        if (fold[i] !== left || languageOf(example) !== language) return;
        const x = valuesOf(example.features, names);
        odds[i] = trees.reduce((total, tree) => total + valueOf(tree, x), base);
      });
    }
  return odds;
}

function foldsOf(examples, repeat) {
  const random = seeded(1_000 + repeat);
  const groups = new Map(
    [...new Set(examples.map(({ group }) => group))].map((group) => [group, Math.floor(random() * FOLDS)]),
  );
  return examples.map(({ group }) => groups.get(group));
}

/** Makes odds of trees odds of truth: their slope, found by Newton's method on what was held out. */
function slopeOf(held) {
  let [slope, shift] = [1, 0];
  for (let step = 0; step < 30; step += 1) {
    let [gs, gb, hss, hsb, hbb] = [0, 0, 1e-6, 0, 1e-6];
    for (const { y, odds } of held) {
      const p = 1 / (1 + Math.exp(-slope * odds - shift));
      const w = p * (1 - p);
      gs += (y - p) * odds;
      gb += y - p;
      hss += w * odds * odds;
      hsb += w * odds;
      hbb += w;
    }
    const det = hss * hbb - hsb * hsb;
    slope += (hbb * gs - hsb * gb) / det;
    shift += (hss * gb - hsb * gs) / det;
  }
  return slope;
}

/** The lowest odds from which the precision, over all repeats, is what is wanted. */
function operatingPoint(held, wanted) {
  const sorted = held.toSorted((a, b) => b.odds - a.odds);
  let right = 0;
  let cut = Infinity;
  sorted.forEach(({ y, odds }, i) => {
    right += y;
    if (right / (i + 1) >= wanted && odds !== sorted[i + 1]?.odds) cut = odds;
  });
  if (cut === Infinity) throw new Error('No score reaches the precision that is wanted.');
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
