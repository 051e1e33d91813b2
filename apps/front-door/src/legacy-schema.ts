type Schema = Record<string, unknown>;

/** Keywords whose value is data, where a `$ref` is just text. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose value maps names of the author's choosing to schemas. */
const NAME_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const DRAFT_2019 = /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/;

/** A `$id` other than a mere fragment begins a document of its own: references inside do not look outside it. */
const isOwnDocument = (id: unknown): boolean => id !== undefined && !(typeof id === 'string' && id.startsWith('#'));

const moved = (ref: unknown): unknown => {
  if (typeof ref !== 'string') return ref;
  if (ref === '#') return '#/properties/result';
  return ref.startsWith('#/') ? `#/properties/result${ref.slice(1)}` : ref;
};

const rewrite = (node: unknown, isNameMap: boolean, recursive: boolean): unknown => {
  if (Array.isArray(node)) return node.map((item) => rewrite(item, false, recursive));
  if (node === null || typeof node !== 'object') return node;
  if (!isNameMap && isOwnDocument((node as Schema)['$id'])) return node;
  let recursion = false;
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(node)) {
    if (isNameMap) entries.push([key, rewrite(value, false, recursive)]);
    else if (key === '$ref' || key === '$dynamicRef') entries.push([key, moved(value)]);
    else if (key === '$recursiveRef' && value === '#' && recursive) recursion = true;
    else if (DATA.has(key)) entries.push([key, value]);
    else entries.push([key, rewrite(value, NAME_MAPS.has(key), recursive)]);
  }
  // fromEntries defines `__proto__` as a property like any other, which plain assignment would not.
  const copy = Object.fromEntries(entries) as Schema;
  if (!recursion) return copy;
  const target = { $ref: '#/properties/result' };
  if (!Object.hasOwn(copy, '$ref')) return { ...copy, ...target };
  return { ...copy, allOf: [...(Array.isArray(copy['allOf']) ? (copy['allOf'] as unknown[]) : []), target] };
};

/**
 * An output schema of any kind as 2025 clients see it: an object with the value under `result`, and references within
 * the document following it there. A result's `structuredContent` is wrapped alike.
 */
export const wrapOutputSchema = (schema: Schema): Schema => {
  const recursive =
    typeof schema['$schema'] === 'string' && DRAFT_2019.test(schema['$schema']) && schema['$recursiveAnchor'] !== true;
  return {
    ...(typeof schema['$schema'] === 'string' && { $schema: schema['$schema'] }),
    type: 'object',
    properties: { result: isOwnDocument(schema['$id']) ? schema : rewrite(schema, false, recursive) },
    required: ['result'],
  };
};

/**
 * 2025 clients take no bare `true` or `false` for a property of the root, and refuse the whole list for one: they are
 * shown the schemas that mean the same. Returns the schema itself where there is none.
 */
export const spellOutBooleans = (schema: Schema): Schema => {
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return schema;
  const entries = Object.entries(properties);
  if (!entries.some(([, value]) => typeof value === 'boolean')) return schema;
  const spelled = entries.map(
    ([name, value]) => [name, value === true ? {} : value === false ? { not: {} } : value] as const,
  );
  return { ...schema, properties: Object.fromEntries(spelled) };
};
