import { createHash } from 'node:crypto';
import { invalidateAnswers, lookUpAnswer, storeAnswer } from '@portico/contracts';

/** What the cache is asked, as a front door asks it. */

export const TOOL = 'wiki.search';
export const sha256 = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex');
export const structHash = (/** @type {string} */ tenant) => sha256(`structure ${tenant}`);
export const keyHash = (/** @type {string} */ tenant, /** @type {string} */ text) => sha256(`key ${tenant} ${text}`);

/** A question of a tenant; with free text unless only an equal one may answer. @param {string} tenant @param {string} text @param {boolean} [similar] */
export const question = (tenant, text, similar = true) => ({
  tenant,
  tool: TOOL,
  keyHash: keyHash(tenant, text),
  ...(similar && {
    similar: {
      structHash: structHash(tenant),
      texts: [text],
      candidates: 0.85,
      threshold: 0.95,
      verify: /** @type {const} */ ('verifier'),
      guards: /** @type {const} */ ('on'),
    },
  }),
});

const RESULT = { content: [{ type: 'text', text: 'An answer of about half a kilobyte. '.repeat(14) }] };

/** @typedef {import('@portico/bus').Bus} Bus */
/** @typedef {ReturnType<typeof question>} Question */

/** @param {Bus} bus @param {Question} asked @param {number} [deadlineMs] */
export const lookUp = (bus, asked, deadlineMs = 5_000) => bus.ask(lookUpAnswer, asked, { deadlineMs });

/** @param {Bus} bus @param {Question} asked */
export const store = (bus, asked) =>
  bus.ask(storeAnswer, { question: asked, epoch: 0, result: RESULT, ttlSeconds: 3_600 }, { deadlineMs: 60_000 });

/** @param {Bus} bus @param {string} tenant @param {string} pattern */
export const invalidate = (bus, tenant, pattern) =>
  bus.ask(invalidateAnswers, { tenant, patterns: [pattern] }, { deadlineMs: 60_000 });

const CITIES = ['Lyon', 'Oslo', 'Porto', 'Quito', 'Turin', 'Delft', 'Leeds', 'Malmo', 'Osaka', 'Bergen'];
const THINGS = [
  'a quiet hotel',
  'the old museum',
  'a bus ticket',
  'the city library',
  'a good bakery',
  'the night train',
];

/** A question of about twenty tokens that was not asked before: one of 60 places and things, and a number. @param {number} n */
export const text = (n) =>
  `Where can visitors find ${THINGS[n % THINGS.length]} near the main station of ${CITIES[Math.floor(n / 6) % CITIES.length]} for group ${n}?`;
