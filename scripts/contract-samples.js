/**
 * Messages that fit a schema: each field there and missing, each member of each choice at least once.
 * @typedef {{ readonly [keyword: string]: unknown, readonly type?: string | readonly string[], readonly const?: unknown,
 *   readonly enum?: readonly unknown[], readonly anyOf?: readonly JsonSchema[], readonly oneOf?: readonly JsonSchema[],
 *   readonly properties?: Readonly<Record<string, JsonSchema>>, readonly required?: readonly string[],
 *   readonly items?: JsonSchema, readonly additionalProperties?: JsonSchema | false, readonly propertyNames?: JsonSchema,
 *   readonly pattern?: string, readonly maximum?: number, readonly maxLength?: number }} JsonSchema
 */

/** Texts for the patterns that the contracts have; the first also is a name with a domain. */
const TEXTS = ['files.read', 'upstream.files', 'files', 'a'.repeat(64), 'C0123ABC', 'U0123ABC', '1700000000.000100'];
const RESULT = { content: [{ type: 'text', text: 'found' }], structuredContent: { found: 1 }, isError: false };
const CALL = { tool: 'read', arguments: { path: 'a' } };
const CLIENT = { clientInfo: { name: 'agent' }, clientCapabilities: {}, logLevel: 'info' };

/** What is checked by hand and not by a schema: some that fit, and one for each check that does not. */
const BY_HAND = /** @type {Record<string, { samples: unknown[], refused: unknown[] }>} */ ({
  ToolCallRequest: {
    samples: [
      CALL,
      {
        ...CALL,
        client: CLIENT,
        meta: { own: 1 },
        inputResponses: { ask: { action: 'accept' } },
        requestState: 'kept',
      },
    ],
    refused: [
      { tool: 'read' },
      { ...CALL, tool: 1 },
      { ...CALL, client: { logLevel: 1 } },
      { ...CALL, client: { clientInfo: 1 } },
      { ...CALL, client: { clientCapabilities: 1 } },
      { ...CALL, meta: 1 },
      { ...CALL, inputResponses: 1 },
      { ...CALL, requestState: 1 },
    ],
  },
  ToolResult: {
    samples: [RESULT, { content: [] }, { structuredContent: 1 }, { resultType: 'input_required', _meta: { own: 1 } }],
    refused: [{}, { content: [{}] }, { ...RESULT, isError: 1 }, { ...RESULT, resultType: 1 }, { ...RESULT, _meta: 1 }],
  },
});

/** @param {string} name */
const byHand = (name) =>
  BY_HAND[name] ??
  (name.endsWith('.call-tool request') ? BY_HAND['ToolCallRequest'] : undefined) ??
  (name.endsWith('.call-tool reply') ? BY_HAND['ToolResult'] : undefined);

/** @param {string} name @param {JsonSchema} schema @returns {readonly unknown[]} */
export const samplesOf = (name, schema) => byHand(name)?.samples ?? fitting(schema);

/** What the check by hand of that name refuses. @param {string} name @returns {readonly unknown[]} */
export const refusedBy = (name) => byHand(name)?.refused ?? [];

/** @param {JsonSchema} schema @returns {unknown[]} */
function fitting(schema) {
  if ('const' in schema) return [schema.const];
  if (schema.enum) return [...schema.enum];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap(fitting);
  if (Array.isArray(schema.type)) return schema.type.flatMap((type) => fitting({ ...schema, type }));
  switch (schema.type) {
    case 'object':
      return objects(schema);
    case 'array':
      return [fitting(schema.items ?? {}).slice(0, 50)];
    case 'string':
      return [text(schema)];
    case 'integer':
    case 'number':
      return [Math.min(1, schema.maximum ?? 1)];
    case 'boolean':
      return [true, false];
    case 'null':
      return [null];
    case undefined:
      return [RESULT];
    default:
      throw new Error(`There is no sample for ${JSON.stringify(schema)}.`);
  }
}

/** @param {JsonSchema} schema */
function objects({ properties, required = [], additionalProperties, propertyNames }) {
  if (!properties)
    return additionalProperties ? [{ [text(propertyNames ?? {})]: fitting(additionalProperties)[0] }] : [{}];
  const values = Object.entries(properties).map(([name, schema]) => ({ name, fits: fitting(schema) }));
  const whole = Object.fromEntries(values.map(({ name, fits }) => [name, fits[0]]));
  const least = Object.fromEntries(Object.entries(whole).filter(([name]) => required.includes(name)));
  const others = values.flatMap(({ name, fits }) => fits.slice(1).map((value) => ({ ...whole, [name]: value })));
  return Object.keys(least).length === values.length ? [whole, ...others] : [whole, least, ...others];
}

/** @param {JsonSchema} schema */
function text({ pattern, maxLength = 64 }) {
  const fits = TEXTS.find(
    (one) => one.length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(one)),
  );
  if (fits === undefined)
    throw new Error(`There is no text for the pattern ${pattern}: write one into contract-samples.js.`);
  return fits;
}
