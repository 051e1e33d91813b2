import { z } from 'zod';
import { refusedBy, samplesOf } from './contract-samples.js';

/**
 * What services say to each other at one release, as data: what a later version is held to while both run.
 * @typedef {import('@portico/contracts').Call} Call
 * @typedef {import('@portico/contracts').Announcement} Announcement
 * @typedef {import('./contract-samples.js').JsonSchema} JsonSchema
 * @typedef {{ readonly schema: JsonSchema, readonly samples: readonly unknown[], readonly refused: readonly unknown[] }} Shape
 * @typedef {{ readonly contracts: string, readonly effects: Readonly<Record<string, string>>,
 *   readonly words: Readonly<Record<string, unknown>>, readonly shapes: Readonly<Record<string, Shape>> }} Frozen
 * @typedef {Readonly<Record<string, unknown>>} Contracts
 */

/** The present contracts as they are kept. Throws when a message that should fit one of them does not. @param {Contracts} contracts @returns {Frozen} */
export function frozenOf(contracts) {
  const { CONTRACTS_VERSION, ...words } = Object.fromEntries(
    Object.entries(contracts).filter(([, value]) => isPlain(value)),
  );
  const effects = conversationsOf(contracts).map((one) => [one.subject, 'effect' in one ? one.effect : 'told']);
  const shapes = [...schemasOf(contracts)].map(([name, schema]) => [name, shapeOf(name, schema)]);
  return {
    contracts: String(CONTRACTS_VERSION),
    effects: Object.fromEntries(effects),
    words,
    shapes: Object.fromEntries(shapes),
  };
}

/** Every schema by name: what is exported by its own, and each side of a conversation. @param {Contracts} contracts @returns {Map<string, z.ZodType>} */
export function schemasOf(contracts) {
  const schemas = new Map();
  for (const [name, value] of Object.entries(contracts)) if (isSchema(value)) schemas.set(name, value);
  for (const one of conversationsOf(contracts)) {
    for (const side of /** @type {const} */ (['request', 'reply', 'payload'])) {
      const schema = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (one))[side];
      if (isSchema(schema)) schemas.set(`${one.subject} ${side}`, schema);
    }
  }
  return schemas;
}

/** @param {Contracts} contracts @returns {(Call | Announcement)[]} */
function conversationsOf(contracts) {
  const all = Object.values(contracts).flatMap(conversationsIn);
  return [...new Map(all.map((one) => [one.subject, one])).values()];
}

/** A conversation, those of a record, or those that a function makes for an address. @param {unknown} value @returns {(Call | Announcement)[]} */
function conversationsIn(value) {
  if (typeof value === 'function') {
    try {
      return conversationsIn(value('*', '*'));
    } catch {
      return [];
    }
  }
  if (typeof value !== 'object' || value === null || isSchema(value)) return [];
  if ('subject' in value && typeof value.subject === 'string')
    return [/** @type {Call | Announcement} */ (/** @type {unknown} */ (value))];
  return Object.values(value)
    .filter((one) => typeof one === 'object')
    .flatMap(conversationsIn);
}

/** @param {string} name @param {z.ZodType} schema @returns {Shape} */
function shapeOf(name, schema) {
  const { $schema: _, ...json } = jsonSchemaOf(schema);
  const samples = samplesOf(name, json);
  for (const sample of samples) {
    const parsed = schema.safeParse(sample);
    if (!parsed.success) throw new Error(`${name} refuses ${JSON.stringify(sample)}: ${parsed.error.message}`);
  }
  return { schema: json, samples, refused: refusedBy(name) };
}

/** As a sender has to fill it; what is checked by hand is any value there. @param {z.ZodType} schema @returns {JsonSchema} */
const jsonSchemaOf = (schema) =>
  /** @type {JsonSchema} */ (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

/** @param {unknown} value @returns {value is z.ZodType} */
const isSchema = (value) => typeof value === 'object' && value !== null && '_zod' in value;

/** @param {unknown} value @returns {boolean} */
const isPlain = (value) =>
  ['string', 'number'].includes(typeof value) ||
  (typeof value === 'object' &&
    value !== null &&
    !isSchema(value) &&
    Object.values(value).every((one) => typeof one === 'string'));
