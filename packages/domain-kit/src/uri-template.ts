/** A matcher for the part of RFC 6570 that a resource of ours may use: `{x}`, `{+x}`, `{/x}`, and `{?x,y}` at the end. */
export interface UriTemplate {
  readonly template: string;
  /** Names of its variables; none means that the template is one plain URI. */
  readonly variables: readonly string[];
  /** The decoded variables, or undefined when the URI is not one of this template's. Linear in the length of the URI. */
  match(uri: string): Record<string, string> | undefined;
}

type Operator = '' | '+' | '/' | '?';
type Part = { readonly literal: string } | { readonly operator: Operator; readonly names: readonly string[] };

const LONGEST_URI = 2_048;
const EXPRESSION = /^([+/?]?)([A-Za-z_][A-Za-z0-9_]*(?:,[A-Za-z_][A-Za-z0-9_]*)*)$/;
/** What a value may consist of before decoding: unreserved characters and escapes; after `+`, reserved ones too. */
const SIMPLE = /^(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$/;
const RESERVED = /^(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/;

/** Reads a template. Throws, in a sentence, for one outside the part that is matched. */
export function uriTemplate(template: string): UriTemplate {
  const parts = partsOf(template);
  const variables = parts.flatMap((part) => ('names' in part ? part.names : []));
  if (new Set(variables).size !== variables.length)
    throw new Error(`The template "${template}" names a variable twice.`);
  return { template, variables, match: (uri) => (uri.length > LONGEST_URI ? undefined : match(parts, uri)) };
}

function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  for (const [index, piece] of template.split(/\{([^{}]*)\}/).entries()) {
    if (index % 2 === 0) {
      if (/[{}]/.test(piece)) throw new Error(`The template "${template}" has a brace without its pair.`);
      if (piece !== '') parts.push({ literal: piece });
      continue;
    }
    const [, operator, names] = EXPRESSION.exec(piece) ?? [];
    if (names === undefined) throw new Error(`The template "${template}" uses {${piece}}, which is not matched here.`);
    if (operator !== '?' && names.includes(','))
      throw new Error(`The template "${template}" has a list in {${piece}}.`);
    if (operator === '/') parts.push({ literal: '/' });
    const before = parts.at(-1);
    if (before && 'names' in before && operator !== '?') {
      throw new Error(`The template "${template}" has two expressions with nothing between them.`);
    }
    parts.push({ operator: operator as Operator, names: names.split(',') });
  }
  const query = parts.findIndex((part) => 'operator' in part && part.operator === '?');
  if (query >= 0 && query < parts.length - 1) throw new Error(`The template "${template}" has {?…} before its end.`);
  if (!/^[a-z][a-z0-9+.-]*:/i.test(template))
    throw new Error(`The template "${template}" does not begin with a scheme.`);
  return parts;
}

function match(parts: readonly Part[], uri: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  const last = parts.at(-1);
  const hasQuery = last !== undefined && 'operator' in last && last.operator === '?';
  const [path, query] = hasQuery ? cut(uri, '?') : [uri, undefined];
  let at = 0;
  const walked = hasQuery ? parts.slice(0, -1) : parts;
  for (const [index, part] of walked.entries()) {
    if ('literal' in part) {
      if (!path.startsWith(part.literal, at)) return undefined;
      at += part.literal.length;
      continue;
    }
    // A value ends where the literal after it begins: first place found, or the very end for the last literal.
    const next = walked[index + 1] as { literal: string } | undefined;
    const end = !next
      ? path.length
      : index + 2 === walked.length
        ? path.length - next.literal.length
        : path.indexOf(next.literal, at);
    const value = end <= at ? undefined : decoded(path.slice(at, end), part.operator === '+' ? RESERVED : SIMPLE);
    if (value === undefined) return undefined;
    found[part.names[0]!] = value;
    at = end;
  }
  if (at !== path.length) return undefined;
  if (!hasQuery || query === undefined) return found;
  for (const [name, value] of new URLSearchParams(query)) {
    if (!last.names.includes(name) || name in found) return undefined;
    found[name] = value;
  }
  return found;
}

const cut = (text: string, at: string): [string, string | undefined] => {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
};

function decoded(raw: string, allowed: RegExp): string | undefined {
  if (!allowed.test(raw)) return undefined;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
