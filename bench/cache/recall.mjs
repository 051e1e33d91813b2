import { CrowdedStructures } from '../../apps/semantic-cache/dist/store/crowded-structures.js';
import { findNear } from '../../apps/semantic-cache/dist/store/find-near.js';
import { structHash } from './ask.mjs';
import { clustered, crowd } from './fill.mjs';
import { measure } from './measure.mjs';

const TENANT = 'crowd';

/**
 * Share of the eight nearest that the index finds, and how long index and scan take, in one structure of many rows.
 * @param {import('@portico/storage').Database} database @param {{ rows: number, asks: number }} plan
 */
export const measureRecall = async (database, { rows, asks }) => {
  await crowd(database, TENANT, rows);
  const structures = new CrowdedStructures(database, database, (error) => console.error(error));
  structures.searchOf(TENANT, structHash(TENANT));
  await structures.idle();
  if (structures.searchOf(TENANT, structHash(TENANT)) !== 'hnsw') throw new Error('There is no index to measure.');
  const vectors = clustered(asks, 0.65, 77).map((text) => Float32Array.from(JSON.parse(text)));
  const near = (/** @type {number} */ n, /** @type {'scan' | 'hnsw'} */ search) =>
    findNear(
      database,
      {
        tenant: TENANT,
        structHash: structHash(TENANT),
        embedder: 'crowd',
        vector: vectors[Math.abs(n) % asks],
        candidates: 0,
      },
      search,
    );
  let [found, all] = [0, 0];
  for (let n = 0; n < asks; n += 1) {
    const scanned = (await near(n, 'scan')).map((entry) => entry.keyHash);
    const walked = new Set((await near(n, 'hnsw')).map((entry) => entry.keyHash));
    all += scanned.length;
    found += scanned.filter((key) => walked.has(key)).length;
  }
  const count = asks * 2;
  return {
    recall: found / all,
    rows: [
      await measure(`nearest of ${rows} of one structure, index`, { count, warm: 20 }, (n) => near(n, 'hnsw')),
      await measure(`nearest of ${rows} of one structure, scan`, { count, warm: 20 }, (n) => near(n, 'scan')),
    ],
  };
};
