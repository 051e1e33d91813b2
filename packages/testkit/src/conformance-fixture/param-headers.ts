import { isObject } from './asking.js';

const SENTINEL = /^=\?base64\?(.*)\?=$/i;
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A header's value as it was meant: literal, or decoded from its Base64 sentinel; undefined when that is broken. */
export function decodeParamHeader(value: string): string | undefined {
  const encoded = SENTINEL.exec(value.trim())?.[1];
  if (encoded === undefined) return value.trim();
  if (!CANONICAL_BASE64.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/**
 * Checks the `Mcp-Param-*` headers of a call against its arguments, where the schema declares `x-mcp-header`.
 * Returns what is wrong in one sentence, or undefined when all is well.
 */
export function paramHeaderMismatch(
  inputSchema: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const properties = isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  for (const [property, schema] of Object.entries(properties)) {
    const name = isObject(schema) ? schema['x-mcp-header'] : undefined;
    if (typeof name !== 'string') continue;
    const header = headers[`mcp-param-${name.toLowerCase()}`];
    const value = Object.hasOwn(given, property) ? given[property] : undefined;
    if (value === undefined || value === null) {
      if (header !== undefined) return `The header Mcp-Param-${name} has no argument to match.`;
      continue;
    }
    if (typeof header !== 'string') return `The header Mcp-Param-${name} is missing.`;
    const said = decodeParamHeader(header);
    if (said === undefined) return `The header Mcp-Param-${name} is not valid Base64.`;
    const same = typeof value === 'number' ? Number(said) === value : said === String(value);
    if (!same) return `The header Mcp-Param-${name} differs from the argument.`;
  }
  return undefined;
}
