/** Longest template that is routed, in characters, most expressions in it, and longest URI matched against one. */
const TEMPLATE_LIMIT = 1_024;
const EXPRESSION_LIMIT = 8;
const URI_LIMIT = 2_048;

/** A run of characters an expression may stand for: `min` to any number, `/` among them or not. */
interface Wild {
  readonly min: 0 | 1;
  readonly slashes: boolean;
}
type Part = string | Wild;

/** Matches URIs against one RFC 6570 template, in time proportional to the length of both multiplied; no regular expression. */
export interface TemplateMatcher {
  matches(uri: string): boolean;
}

const partsOf = (expression: string): Part[] => {
  const operator = '+#./;?&'.includes(expression[0] ?? ' ') ? expression[0] : '';
  const exploded = expression.includes('*');
  switch (operator) {
    case '+':
    case '#':
      return [{ min: 1, slashes: true }];
    case '.':
    case '/':
    case ';':
      return [operator, { min: 1, slashes: exploded }];
    case '?':
    case '&':
      // A query may be absent as a whole; which names it has is its source's concern.
      return [{ min: 0, slashes: true }];
    default:
      return [{ min: 1, slashes: false }];
  }
};

/** The literals and expressions of a template in order; `undefined` for one that is malformed or too large to route. */
const parse = (template: string): Part[] | undefined => {
  if (template.length > TEMPLATE_LIMIT) return undefined;
  const parts: Part[] = [];
  let expressions = 0;
  for (let at = 0; at < template.length;) {
    const open = template.indexOf('{', at);
    if (open !== at) parts.push(template.slice(at, open === -1 ? undefined : open));
    if (open === -1) break;
    const close = template.indexOf('}', open);
    if (close <= open + 1 || ++expressions > EXPRESSION_LIMIT) return undefined;
    parts.push(...partsOf(template.slice(open + 1, close)));
    at = close + 1;
  }
  return parts;
};

/** From every place a match may have reached, the places it may reach by one more part. */
const step = (part: Part, uri: string, reached: Uint8Array): Uint8Array => {
  const next = new Uint8Array(reached.length);
  if (typeof part === 'string') {
    for (let at = 0; at + part.length < reached.length; at++)
      if (reached[at] === 1 && uri.startsWith(part, at)) next[at + part.length] = 1;
    return next;
  }
  let running = false;
  for (let at = 0; at < reached.length; at++) {
    if (at > 0 && !part.slashes && uri[at - 1] === '/') running = false;
    if (running) next[at] = 1;
    if (reached[at] === 1) {
      running = true;
      if (part.min === 0) next[at] = 1;
    }
  }
  return next;
};

/** A matcher for the template, or `undefined` for one that cannot be routed. Lenient: the source itself reads the variables. */
export const templateMatcher = (template: string): TemplateMatcher | undefined => {
  const parts = parse(template);
  if (parts === undefined) return undefined;
  const [first, last] = [parts[0], parts.at(-1)];
  return {
    matches(uri) {
      if (uri.length > URI_LIMIT) return false;
      // Nearly every URI ends here, before anything is allocated.
      if (typeof first === 'string' && !uri.startsWith(first)) return false;
      if (typeof last === 'string' && !uri.endsWith(last)) return false;
      let reached: Uint8Array = new Uint8Array(uri.length + 1);
      reached[0] = 1;
      for (const part of parts) reached = step(part, uri, reached);
      return reached[uri.length] === 1;
    },
  };
};
