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
/** Keywords whose subschemas no header may be declared in; of those in the second list, the value maps names to schemas. */
const CLOSED = [
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
];
CLOSED.push('propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else');
const CLOSED_MAPS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

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
  if (isObject(node['properties']))
    for (const [name, child] of Object.entries(node['properties']))
      places.push({ node: child, path: [...path, name], open });
  const closed = (child: unknown, keyword: string) =>
    places.push({ node: child, path: [...path, `<${keyword}>`], open: false });
  for (const keyword of CLOSED) {
    const value = node[keyword];
    if (Array.isArray(value)) for (const child of value) closed(child, keyword);
    else if (isObject(value)) closed(value, keyword);
  }
  for (const keyword of CLOSED_MAPS) {
    const value = node[keyword];
    if (isObject(value)) for (const child of Object.values(value)) closed(child, keyword);
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
