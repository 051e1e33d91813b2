import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { frozenOf, schemasOf } from './frozen-contracts.js';

/**
 * Where the present contracts would break a service of a release that still runs beside them, a sentence each; nothing when
 * they only have grown, or when their major version is another one: such two are not run together.
 * @typedef {import('./contract-samples.js').JsonSchema} JsonSchema
 * @typedef {import('./frozen-contracts.js').Contracts} Contracts
 * @typedef {import('./frozen-contracts.js').Frozen} Frozen
 * @param {Frozen} released
 * @param {Contracts} contracts
 * @returns {string[]}
 */
export function breaksOf(released, contracts) {
  const present = frozenOf(contracts);
  if (majorOf(released.contracts) !== majorOf(present.contracts)) return [];
  const schemas = schemasOf(contracts);
  const found = [...wordsGone(released, present), ...effectsChanged(released, present)];
  for (const [name, then] of Object.entries(released.shapes)) {
    const now = present.shapes[name];
    const schema = schemas.get(name);
    if (!now || !schema) {
      found.push(`${name} is gone.`);
      continue;
    }
    found.push(...differences(then.schema, now.schema, name));
    for (const sample of [...then.samples, ...then.samples.map(withMore)])
      if (!schema.safeParse(sample).success) found.push(`${name} refuses what was sent: ${JSON.stringify(sample)}.`);
    for (const sample of then.refused)
      if (schema.safeParse(sample).success) found.push(`${name} takes what it refused: ${JSON.stringify(sample)}.`);
    const before = z.fromJSONSchema(readable(then.schema));
    for (const sample of [...now.samples, ...now.samples.map(withMore)])
      if (!before.safeParse(sample).success) found.push(`${name} sends what was refused: ${JSON.stringify(sample)}.`);
  }
  return found;
}

/** As a later version may say it: with a field that this one does not know. @param {unknown} sample */
const withMore = (sample) =>
  typeof sample === 'object' && sample !== null && !Array.isArray(sample)
    ? { ...sample, fromALaterVersion: 1 }
    : sample;

/** Without patterns that zod would read without the flag that they need; how they differ is compared besides. @param {JsonSchema} schema */
const readable = (schema) =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'pattern' && /\\p\{/i.test(value) ? undefined : value)));

/** @param {string} version */
const majorOf = (version) => version.split('.')[0];

/** @param {Frozen} then @param {Frozen} now */
function wordsGone({ words: then }, { words: now }) {
  return Object.entries(then).flatMap(([name, word]) => {
    const is = now[name];
    const kept = Array.isArray(word)
      ? Array.isArray(is) && word.every((one) => is.includes(one))
      : isDeepStrictEqual(word, is);
    return kept ? [] : [`${name} was ${JSON.stringify(word)} and is ${JSON.stringify(is)}.`];
  });
}

/** @param {Frozen} then @param {Frozen} now */
function effectsChanged({ effects: then }, { effects: now }) {
  return Object.entries(then).flatMap(([subject, was]) =>
    now[subject] === was ? [] : [`${subject} was ${was} and is ${now[subject] ?? 'gone'}.`],
  );
}

/** Of two schemas of one thing: a field more that may be missing is none. @param {JsonSchema} then @param {JsonSchema} now @param {string} at @returns {string[]} */
function differences(then, now, at) {
  const found = [];
  for (const keyword of new Set([...Object.keys(then), ...Object.keys(now)])) {
    const [was, is] = [then[keyword], now[keyword]];
    if (keyword === 'description' || isDeepStrictEqual(was, is)) continue;
    if (keyword === 'properties') found.push(...fieldsGone(then, now, at));
    else if (keyword === 'required' || keyword === 'enum') found.push(...membersOf(was, is, `${at}: ${keyword}`));
    else if (isSchema(was) && isSchema(is)) found.push(...differences(was, is, `${at}.${keyword}`));
    else if (isChoice(was) && isChoice(is) && was.length === is.length)
      found.push(...was.flatMap((one, place) => differences(one, is[place] ?? {}, `${at}.${place}`)));
    else found.push(`${at}: ${keyword} was ${JSON.stringify(was)} and is ${JSON.stringify(is)}.`);
  }
  return found;
}

/** @param {JsonSchema} then @param {JsonSchema} now @param {string} at */
function fieldsGone({ properties: then = {} }, { properties: now = {} }, at) {
  return Object.entries(then).flatMap(([name, schema]) => {
    const is = now[name];
    return is ? differences(schema, is, `${at}.${name}`) : [`${at}.${name} is gone.`];
  });
}

/** @param {unknown} was @param {unknown} is @param {string} at */
function membersOf(was, is, at) {
  const [then, now] = [was, is].map((list) => (Array.isArray(list) ? list : []));
  return [
    ...(then ?? []).filter((one) => !now?.includes(one)).map((one) => `${at} has ${JSON.stringify(one)} no more.`),
    ...(now ?? []).filter((one) => !then?.includes(one)).map((one) => `${at} has ${JSON.stringify(one)} newly.`),
  ];
}

/** @param {unknown} value @returns {value is JsonSchema} */
const isSchema = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @param {unknown} value @returns {value is JsonSchema[]} */
const isChoice = (value) => Array.isArray(value) && value.every(isSchema);
