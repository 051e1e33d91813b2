import { isObject } from './json-rpc.js';
import type { JsonObject } from './json-rpc.js';

const ANNOTATION = 'x-mcp-header';
const HEADER_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords that hold a subschema, or a list of them; and those that hold them by name. */
const SUBSCHEMAS =
  'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames oneOf anyOf allOf not if then else'.split(
    ' ',
  );
const NAMED_SUBSCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const DEPTH_LIMIT = 64;

/** An argument that the protocol wants repeated in a header. */
export interface MirroredParam {
  readonly path: readonly string[];
  readonly header: string;
}

/** The arguments that `inputSchema` wants mirrored, or why the schema's wish can not be granted. */
export function mirroredParams(inputSchema: JsonObject): MirroredParam[] | { readonly invalid: string } {
  const found: MirroredParam[] = [];
  const taken = new Set<string>();
  let invalid: string | undefined;
  const refuse = (path: readonly string[], why: string): void => {
    invalid ??= `${path.join('.') || 'the schema itself'}: ${why}`;
  };
  const visit = (schema: unknown, path: readonly string[], reachable: boolean, depth: number): void => {
    if (!isObject(schema) || invalid !== undefined) return;
    if (depth > DEPTH_LIMIT) return refuse(path, 'nested too deep');
    if (ANNOTATION in schema) {
      const header = schema[ANNOTATION];
      if (!reachable || path.length === 0) return refuse(path, `${ANNOTATION} stands where no argument can be read`);
      if (typeof header !== 'string' || !HEADER_TOKEN.test(header))
        return refuse(path, `${ANNOTATION} is no header name`);
      if (!MIRRORED_TYPES.has(schema.type)) return refuse(path, `${ANNOTATION} needs a string, integer or boolean`);
      if (taken.has(header.toLowerCase())) return refuse(path, `${ANNOTATION} is used twice`);
      taken.add(header.toLowerCase());
      found.push({ path, header: `Mcp-Param-${header}` });
    }
    if (isObject(schema.properties)) {
      for (const [key, child] of Object.entries(schema.properties)) visit(child, [...path, key], reachable, depth + 1);
    }
    for (const keyword of SUBSCHEMAS) {
      const held = schema[keyword];
      for (const child of Array.isArray(held) ? held : [held]) visit(child, [...path, keyword], false, depth + 1);
    }
    for (const keyword of NAMED_SUBSCHEMAS) {
      const held = schema[keyword];
      if (isObject(held)) for (const child of Object.values(held)) visit(child, [...path, keyword], false, depth + 1);
    }
  };
  visit(inputSchema, [], true, 0);
  return invalid === undefined ? found : { invalid };
}

/** `Mcp-Param-*` headers of one call, name and value in turn. Absent, null and unprintable arguments have none. */
export function paramHeaders(mirrored: readonly MirroredParam[], args: JsonObject): string[] {
  const headers: string[] = [];
  for (const { path, header } of mirrored) {
    let value: unknown = args;
    for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof value === 'string') headers.push(header, headerValue(value));
    else if (typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      headers.push(header, String(value));
    }
  }
  return headers;
}

/** `value` as a header may carry it: itself when plain, else in the specification's Base64 sentinel. */
export function headerValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value);
  const sentinel = value.startsWith('=?base64?') && value.endsWith('?=');
  return plain && !sentinel ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
