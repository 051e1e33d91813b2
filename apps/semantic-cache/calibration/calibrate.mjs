// `node apps/semantic-cache/calibration/calibrate.mjs PAIRS`: learns the score from a file of labelled pairs, and writes coefficients.json beside it.
// What it says of itself was found on pairs that the coefficients tested had not seen.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { openEmbedder } from '@portico/embedding';
import { dot } from '../dist/verifier/alignment.js';
import { fit, groupsOf, PRECISION } from './fit.mjs';
import { asCalls, featuresFor, readPairs, structureOf, Texts } from './pairs.mjs';
import { generateRewordings, generateSwaps } from './swaps.mjs';

/** Cosine from which a pair teaches something; candidates begin at 0.85. */
const LEARN_FROM = 0.7;
const CANDIDATES = 0.85;
const GENERATED = { swaps: 6_000, rewordings: 600, seed: 1, weight: 0.1 };
const OUT = new URL('./coefficients.json', import.meta.url);

/** Examples of the pairs, and of generated ones. @param {Texts} texts */
export async function examplesOf(pairs, texts) {
  const generated = [
    ...generateSwaps(GENERATED.swaps, GENERATED.seed),
    ...generateRewordings(GENERATED.rewordings, GENERATED.seed),
  ].map(asCalls);
  const read = (list, counts) =>
    list.flatMap((pair) => {
      const { lane, texts: both } = structureOf(pair);
      const differing = both.filter(([a, b]) => a !== b);
      return lane === 'semantic' && differing.length === 1
        ? [{ pair, a: differing[0][0], b: differing[0][1], counts }]
        : [];
    });
  const all = [...read(pairs, true), ...read(generated, false)];
  await texts.embed(all.flatMap(({ a, b }) => [a, b]));
  const taught = all.flatMap(({ pair, a, b, counts }) => {
    const seen = featuresFor(a, b, texts);
    if (seen === undefined || seen.cosine < (counts ? LEARN_FROM : CANDIDATES)) return [];
    const weight = counts ? 1 : GENERATED.weight;
    return [
      {
        id: pair.id,
        source: pair.source,
        a,
        b,
        y: Number(pair.same),
        features: seen.features,
        weight,
        counts: counts && seen.cosine >= CANDIDATES,
      },
    ];
  });
  const groups = groupsOf(
    taught.map(({ a, b }) => [a, b]),
    (text) => texts.read.get(text).vector,
    dot,
  );
  return taught.map((example, i) => ({ ...example, group: groups[i] }));
}

/** JSON with a tree a line. */
const serialise = (coefficients) =>
  `${JSON.stringify(coefficients, (key, value) => (key === 'trees' ? value.map((tree) => JSON.stringify(tree)) : value), 2).replace(/"(\[\[.*\]\])"/g, '$1')}\n`;

if (process.argv[1] === import.meta.filename) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error('Usage: calibrate.mjs PAIRS');
  const embedder = await openEmbedder();
  try {
    const pairs = await readPairs(file);
    const texts = new Texts(embedder);
    const examples = await examplesOf(pairs, texts);
    const { coefficients } = fit(examples);
    const digest = createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
      .slice(0, 16);
    const about = {
      pairs: pairs.length,
      digest,
      examples: examples.length,
      embedder: embedder.fingerprint,
      precision: PRECISION,
    };
    await writeFile(OUT, serialise({ about, ...coefficients }));
    console.log(JSON.stringify(about));
  } finally {
    await embedder.close();
  }
}
