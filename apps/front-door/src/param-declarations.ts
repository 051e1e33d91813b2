/** One argument of a tool that revision 2026-07-28 mirrors into a header, as its `x-mcp-header` declares. */
export interface ParamHeader {
  /** Property names from the root of the arguments. */
  readonly path: readonly string[];
  /** As written to people: `Mcp-Param-Region`. */
  readonly header: string;
  /** As `node:http` keys it: lower case. */
  readonly key: string;
  readonly type: 'string' | 'integer' | 'boolean';
}

export type ParamDeclarations =
  | { readonly valid: true; readonly declarations: readonly ParamHeader[] }
  | { readonly valid: false; readonly reason: string };

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose subschemas no header may be declared in: a schema or a list of them, or a map of names to schemas. */
const CLOSED: ReadonlyMap<string, 'schemas' | 'map'> = new Map([
  ...[
    'items',
    'prefixItems',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
    'not',
    'if',
  ]
    .concat('then', 'else', 'propertyNames', 'oneOf', 'anyOf', 'allOf')
    .map((keyword) => [keyword, 'schemas'] as const),
  ...['patternProperties', 'dependentSchemas', '$defs', 'definitions'].map((keyword) => [keyword, 'map'] as const),
]);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

interface Place {
  readonly node: unknown;
  readonly path: readonly string[];
  /** Reached through `properties` alone. */
  readonly open: boolean;
}

const read = (node: Record<string, unknown>, { path, open }: Place): ParamHeader | string => {
  const at = path.length === 0 ? '<root>' : path.join('.');
  const name = node[KEY];
  if (!open || path.length === 0)
    return `${at}: ${KEY} is only permitted on properties reached through 'properties' alone`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${at}: ${KEY} must be an HTTP token`;
  if (!TYPES.has(node['type'])) return `${at}: ${KEY} is only permitted on a string, integer or boolean`;
  const header = `Mcp-Param-${name}`;
  return { path, header, key: header.toLowerCase(), type: node['type'] as ParamHeader['type'] };
};

const below = (node: Record<string, unknown>, { path, open }: Place): Place[] => {
  const places: Place[] = [];
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (!isObject(value)) continue;
    if (key === 'properties')
      for (const name of Object.keys(value))
        places.push({ node: value[name], path: open ? [...path, name] : path, open });
    const shape = CLOSED.get(key);
    if (shape === undefined) continue;
    const children = shape === 'map' || Array.isArray(value) ? Object.values(value) : [value];
    for (const child of children) places.push({ node: child, path, open: false });
  }
  return places;
};

/**
 * Reads the `x-mcp-header` declarations of a tool's `inputSchema`. One that breaks a rule of the revision makes the whole
 * tool unusable over HTTP. Linear in the schema.
 */
export const paramDeclarations = (inputSchema: unknown): ParamDeclarations => {
  const declarations: ParamHeader[] = [];
  const seen = new Set<string>();
  const places: Place[] = [{ node: inputSchema, path: [], open: true }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { node } = place;
    if (!isObject(node)) continue;
    if (Object.hasOwn(node, KEY)) {
      const declared = read(node, place);
      if (typeof declared === 'string') return { valid: false, reason: declared };
      if (seen.has(declared.key)) return { valid: false, reason: `${declared.header} is declared more than once` };
      seen.add(declared.key);
      declarations.push(declared);
    }
    places.push(...below(node, place).reverse());
  }
  return { valid: true, declarations };
};
