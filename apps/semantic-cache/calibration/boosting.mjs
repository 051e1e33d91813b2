// Gradient-boosted trees for a yes-or-no question, small and in plain JavaScript: shallow trees on binned features, each on its own share of rows, each split on its own share of
// features, their leaves shrunk. The same rows and seed give the same trees.
import { seeded } from './swaps.mjs';

/** @typedef {{ x: Float64Array, y: number, weight: number }} Row */
/** @typedef {{ trees: number, depth: number, rate: number, rows: number, features: number, leafRows: number, shrink: number, bags: number, seed: number }} Options */

const BINS = 48;

/** @param {readonly Row[]} rows @param {Options} options */
export function boost(rows, options) {
  const random = seeded(options.seed);
  const cuts = cutsOf(rows);
  const bins = cuts.map((values, feature) => Uint8Array.from(rows, ({ x }) => binOf(values, x[feature])));
  const total = sum(rows.map(({ weight }) => weight));
  const share = sum(rows.map(({ y, weight }) => y * weight)) / total;
  const base = Math.log(share / (1 - share));
  const trees = [];
  for (let bag = 0; bag < options.bags; bag += 1) {
    const odds = new Float64Array(rows.length).fill(base);
    for (let round = 0; round < options.trees; round += 1) {
      const gradient = Float64Array.from(rows, ({ y, weight }, i) => weight * (y - sigmoid(odds[i])));
      const hessian = Float64Array.from(rows, ({ weight }, i) => weight * sigmoid(odds[i]) * (1 - sigmoid(odds[i])));
      const sample = rows.map((_, i) => i).filter(() => random() < options.rows);
      const tree = growTree({ random, sample, bins, cuts, gradient, hessian, options });
      for (let i = 0; i < rows.length; i += 1) odds[i] += valueOf(tree, rows[i].x);
      // Several bags are averaged.
      trees.push(tree.map((node) => (node.length === 1 ? [round6(node[0] / options.bags)] : node)));
    }
  }
  return { base: round6(base), trees };
}

/** @param {readonly (readonly number[])[]} tree @param {Float64Array} x */
export function valueOf(tree, x) {
  let node = tree[0];
  while (node.length > 1) node = tree[x[node[0]] <= node[1] ? node[2] : node[3]];
  return node[0];
}

function growTree({ random, sample, bins, cuts, gradient, hessian, options }) {
  const nodes = [];
  const { leafRows, shrink } = options;
  const bestSplit = (rows, features) => {
    const g = sum(rows.map((i) => gradient[i]));
    const h = sum(rows.map((i) => hessian[i]));
    let best;
    let gain = 1e-6 + (g * g) / (h + shrink);
    for (const feature of features) {
      const [gs, hs, ns] = [new Float64Array(BINS + 1), new Float64Array(BINS + 1), new Uint32Array(BINS + 1)];
      for (const i of rows) {
        const bin = bins[feature][i];
        gs[bin] += gradient[i];
        hs[bin] += hessian[i];
        ns[bin] += 1;
      }
      let [gl, hl, nl] = [0, 0, 0];
      for (let bin = 0; bin < cuts[feature].length; bin += 1) {
        gl += gs[bin];
        hl += hs[bin];
        nl += ns[bin];
        if (nl < leafRows || rows.length - nl < leafRows) continue;
        const value = (gl * gl) / (hl + shrink) + ((g - gl) * (g - gl)) / (h - hl + shrink);
        if (value > gain) {
          gain = value;
          best = { feature, bin };
        }
      }
    }
    return best;
  };
  const grow = (rows, depth) => {
    const at = nodes.push([]) - 1;
    const g = sum(rows.map((i) => gradient[i]));
    const h = sum(rows.map((i) => hessian[i]));
    const features = bins.map((_, i) => i).filter((i) => cuts[i].length > 0 && random() < options.features);
    const split = depth < options.depth ? bestSplit(rows, features) : undefined;
    if (split === undefined) nodes[at] = [(options.rate * g) / (h + options.shrink)];
    else {
      const left = rows.filter((i) => bins[split.feature][i] <= split.bin);
      const right = rows.filter((i) => bins[split.feature][i] > split.bin);
      nodes[at] = [split.feature, round6(cuts[split.feature][split.bin]), 0, 0];
      nodes[at][2] = grow(left, depth + 1);
      nodes[at][3] = grow(right, depth + 1);
    }
    return at;
  };
  grow(sample, 0);
  return nodes;
}

/** Where each feature is cut: between values that occur, by their quantiles. */
function cutsOf(rows) {
  return Array.from({ length: rows[0].x.length }, (_, feature) => {
    const sorted = rows.map(({ x }) => x[feature]).sort((a, b) => a - b);
    const distinct = [...new Set(sorted)];
    if (distinct.length <= BINS) return distinct.slice(1).map((value, i) => round6((value + distinct[i]) / 2));
    const at = (i) => sorted[Math.floor((i * sorted.length) / BINS)];
    return [...new Set(Array.from({ length: BINS - 1 }, (_, i) => round6(at(i + 1))))].filter(
      (cut) => cut < sorted.at(-1),
    );
  });
}
const binOf = (cuts, value) => {
  let bin = 0;
  while (bin < cuts.length && value > cuts[bin]) bin += 1;
  return bin;
};

const sum = (values) => values.reduce((total, value) => total + value, 0);
const sigmoid = (odds) => 1 / (1 + Math.exp(-odds));
const round6 = (value) => Number(value.toPrecision(6));
