import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openEmbedder } from '@portico/embedding';
import { examplesOf } from '../apps/semantic-cache/calibration/calibrate.mjs';
import { fit } from '../apps/semantic-cache/calibration/fit.mjs';
import { asCalls, compare, readPairs, structureOf, Texts } from '../apps/semantic-cache/calibration/pairs.mjs';
import { generateSwaps } from '../apps/semantic-cache/calibration/swaps.mjs';
import { scoreOf, scoreOfOdds } from '../apps/semantic-cache/dist/verifier/score.js';

// `npm run eval:cache`: how often the semantic cache answers rightly, and how often wrongly, on labelled pairs of calls.

const THRESHOLD = 0.95;
const SWAP_SEED = 20_261;
const HELP = `npm run eval:cache -- PAIRS [--json FILE] [--decisions FILE] [--swaps N] [--seed N] [--threshold T] [--cross-validate]

  PAIRS             pairs of calls, one a line: { id, source, lang, tool, freeText, a, b, same }
  --json FILE       writes the table as JSON too
  --decisions FILE  one line a pair: { id, served, score, refusedBy }
  --swaps N         generated pairs that must never be served (10000; 0 leaves them out)
  --seed N          of the generated pairs (${SWAP_SEED}; the coefficients have seen others)
  --threshold T     least score that is served (${THRESHOLD})
  --cross-validate  also with trees that have not seen the pair: for the file that the coefficients were calibrated on (minutes)
  --help            this`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    decisions: { type: 'string' },
    swaps: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(SWAP_SEED) },
    threshold: { type: 'string', default: String(THRESHOLD) },
    'cross-validate': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || positionals.length !== 1) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
const threshold = Number(values.threshold);

/** What the cache does with a compared pair. @param {ReturnType<typeof compare>} compared @param {(features: Record<string, number>) => number} score */
function decide({ pair, lane, compared }, score) {
  if (lane === 'exact') return { id: pair.id, served: true, score: 1, refusedBy: null };
  if (lane === 'none') return { id: pair.id, served: false, score: null, refusedBy: 'structure' };
  const refused = compared.find((text) => text.refused !== undefined);
  if (refused) return { id: pair.id, served: false, score: null, refusedBy: refused.refused };
  const least = Math.min(...compared.map((text) => (text.equal ? 1 : score(text.features))));
  const served = least >= threshold;
  return { id: pair.id, served, score: least, refusedBy: served ? null : 'score' };
}

/** The plain rule: the same embedder, the cosine alone. */
function decidePlain({ lane, compared }) {
  return lane === 'exact' || (lane === 'semantic' && compared.every(({ cosine }) => cosine >= 0.95));
}

/** @param {ReturnType<typeof compare>[]} compared @param {{ served: boolean }[]} decisions */
function tabulate(compared, decisions) {
  const sources = {};
  compared.forEach((one, i) => {
    const { source, lang, same } = one.pair;
    const row = ((sources[source] ??= {})[lang] ??= {
      same: 0,
      different: 0,
      hits: 0,
      wrong: 0,
      precision: null,
      plain: { hits: 0, wrong: 0, precision: null },
    });
    row[same ? 'same' : 'different'] += 1;
    const column = same ? 'hits' : 'wrong';
    if (decisions[i].served) row[column] += 1;
    if (decidePlain(one)) row.plain[column] += 1;
  });
  for (const row of Object.values(sources).flatMap(Object.values))
    for (const counts of [row, row.plain])
      if (counts.hits + counts.wrong > 0)
        counts.precision = Number((counts.hits / (counts.hits + counts.wrong)).toFixed(4));
  return sources;
}

/** @param {string} title */
function print(title, sources) {
  const share = (part, whole) => (whole === 0 ? '-' : (part / whole).toFixed(3));
  console.log(`\n${title}`);
  console.table(
    Object.fromEntries(
      Object.entries(sources).flatMap(([source, langs]) =>
        Object.entries(langs).map(([lang, row]) => [
          `${source} ${lang}`,
          {
            same: row.same,
            different: row.different,
            hits: row.hits,
            'hit rate': share(row.hits, row.same),
            wrong: row.wrong,
            precision: row.precision,
            'plain hit rate': share(row.plain.hits, row.same),
            'plain wrong': row.plain.wrong,
            'plain precision': row.plain.precision,
          },
        ]),
      ),
    ),
  );
}

async function compareAll(pairs, texts) {
  await texts.embed(pairs.flatMap((pair) => structureOf(pair).texts.flat()));
  return pairs.map((pair) => compare(pair, texts));
}

const embedder = await openEmbedder();
try {
  const pairs = await readPairs(positionals[0]);
  const texts = new Texts(embedder);
  const compared = await compareAll(pairs, texts);
  const decisions = compared.map((one) => decide(one, scoreOf));
  const sources = tabulate(compared, decisions);
  print('With the shipped coefficients:', sources);
  const report = { threshold, sources };

  if (values['cross-validate']) {
    const examples = await examplesOf(pairs, texts);
    const { coefficients, folds } = fit(examples);
    const at = new Map(examples.map(({ id }, i) => [id, i]));
    report.crossValidated = folds.map((odds) => {
      const held = compared.map((one) =>
        decide(one, (features) => scoreOfOdds(odds[at.get(one.pair.id)], features, coefficients)),
      );
      return tabulate(compared, held);
    });
    report.crossValidated.forEach((table, i) =>
      print(`Cross-validated, repeat ${i + 1} (each pair by trees that have not seen it):`, table),
    );
  }

  const count = Number(values.swaps);
  if (count > 0) {
    const swaps = await compareAll(generateSwaps(count, Number(values.seed)).map(asCalls), texts);
    const served = swaps.map((one) => decide(one, scoreOf));
    report.swaps = tabulate(swaps, served);
    print(`Generated pairs, none of which may be served (seed ${values.seed}):`, report.swaps);
    swaps.forEach(({ pair }, i) => served[i].served && console.log('served:', pair.a.query, '|', pair.b.query));
  }
  if (values.json) await writeFile(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  if (values.decisions) await writeFile(values.decisions, decisions.map((one) => `${JSON.stringify(one)}\n`).join(''));
} finally {
  await embedder.close();
}
