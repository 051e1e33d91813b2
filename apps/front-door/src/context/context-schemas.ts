import { isRecord } from '../mcp-request.js';

type Schema = Record<string, unknown>;

/** The argument in which a caller may name its call, and the one that shows the lease a tool needs. */
export const CONTEXT_ARGUMENT = '_gateway_context';
export const TASK_ARGUMENT = '_task';

const id = (description: string): Schema => ({ type: 'string', maxLength: 128, description });

const SCHEMAS: Readonly<Record<string, Schema>> = {
  [CONTEXT_ARGUMENT]: {
    type: 'object',
    description: 'Optional ids for tracing; the tool does not see them.',
    properties: {
      correlation_id: { type: 'string' },
      task_id: { type: 'string' },
      agent: { type: 'string' },
      lease_ref: { type: 'string' },
    },
  },
  [TASK_ARGUMENT]: {
    type: 'object',
    description: 'The lease that this tool needs, from task.acquire.',
    properties: { lease_id: id('As task.acquire returned it.'), task_id: id('The task that is worked on.') },
    required: ['lease_id'],
  },
};

/** Keywords whose schemas look at the very object that their own schema looks at. */
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['if', 'then', 'else', 'not'];
const MAPS = ['dependentSchemas', 'dependencies'];
/** Keywords that judge all properties together, ours among them. */
const WHOLE = ['propertyNames', 'maxProperties', 'const', 'enum'];
const CLOSING = ['additionalProperties', 'unevaluatedProperties'];
/** More subschemas than this of one object, and it is left as it is. */
const MOST = 500;

/** Every subschema that looks at the same object as the root, the root among them; `undefined` when they can not all be found. */
function facets(root: Schema): ReadonlySet<Schema> | undefined {
  const found = new Set<Schema>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const schema = open.pop();
    if (!isRecord(schema) || found.has(schema)) continue;
    if (found.size >= MOST) return undefined;
    found.add(schema);
    for (const key of LISTS) if (Array.isArray(schema[key])) open.push(...(schema[key] as unknown[]));
    for (const key of SINGLE) open.push(schema[key]);
    for (const key of MAPS) if (isRecord(schema[key])) open.push(...Object.values(schema[key]));
    for (const key of ['$ref', '$dynamicRef']) {
      if (schema[key] === undefined) continue;
      const target = targetOf(schema[key], root);
      // What is not looked into may have a say on any name.
      if (target === undefined) return undefined;
      open.push(target);
    }
  }
  return found;
}

/** What a reference within the document points at. */
function targetOf(ref: unknown, root: Schema): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    node = typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? (node as Schema)[key] : undefined;
  }
  return node;
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** Whether the tool itself has a say on a property of that name: it then keeps it. */
export function claims(root: Schema, name: string): boolean {
  const all = facets(root);
  if (all === undefined) return true;
  return [...all].some((schema) => {
    const { properties, patternProperties, required } = schema;
    return (
      (isRecord(properties) && Object.hasOwn(properties, name)) ||
      (isRecord(patternProperties) && Object.keys(patternProperties).some((pattern) => mayMatch(pattern, name))) ||
      (Array.isArray(required) && required.includes(name)) ||
      WHOLE.some((key) => schema[key] !== undefined)
    );
  });
}

/** A pattern is somebody else's: one that could take long is not tried, and counts as matching. */
function mayMatch(pattern: string, name: string): boolean {
  if (!/^[\w^$.*+\-[\]\\]{0,64}$/.test(pattern)) return true;
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return true;
  }
}

/**
 * The schema with our own arguments added, which the tool must not claim: `optional` ones and `required` ones. Whatever part
 * of it forbids properties that it does not name is told of them; nothing else changes, and the original is left as it was.
 */
export function withArguments(root: Schema, optional: readonly string[], required: readonly string[]): Schema {
  const names = [...optional, ...required];
  if (names.length === 0) return root;
  const closed = [...(facets(root) ?? [])].filter(
    (schema) => schema !== root && CLOSING.some((key) => schema[key] !== undefined && schema[key] !== true),
  );
  const copy = closed.length === 0 ? { ...root } : (structuredClone(root) as Schema);
  // A clone keeps the order of its keys, so the same walk finds the same subschemas.
  const facetsOfCopy = closed.length === 0 ? [] : [...(facets(copy) ?? [])];
  const facetsOfRoot = closed.length === 0 ? [] : [...(facets(root) ?? [])];
  for (const schema of closed) {
    const twin = facetsOfCopy[facetsOfRoot.indexOf(schema)];
    if (twin !== undefined) twin['properties'] = withNames(twin['properties'], names, () => true);
  }
  copy['properties'] = withNames(copy['properties'], names, (name) => SCHEMAS[name]);
  if (required.length > 0 && !refersToItself(root)) {
    copy['required'] = [...(Array.isArray(copy['required']) ? (copy['required'] as unknown[]) : []), ...required];
  }
  return copy;
}

/** What would be required of the whole would be required of its parts too. The tool asks for it all the same. */
const refersToItself = (root: Schema): boolean => /"\$(?:dynamic|recursive)?[rR]ef":"#"/.test(JSON.stringify(root));

const withNames = (properties: unknown, names: readonly string[], schemaOf: (name: string) => unknown): Schema => ({
  ...(isRecord(properties) ? properties : {}),
  ...Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
});
