import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** Most signs and words: more than any policy has, and parsed in about a second. */
const TOKEN_LIMIT = 200_000;
/** The deepest field of a policy is at 5. The parser's own limit is the stack, and V8 may end the process there. */
const DEPTH_LIMIT = 20;

/** Why a text is not a document; `message` completes "the file …". */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/**
 * The value that one YAML 1.2 or JSON document stands for: maps as objects without prototype, lists, scalars. Takes neither
 * anchors nor aliases, tags, merge keys, keys that are no texts or come twice. Throws a DocumentError with the line.
 */
export function parseDocument(text: string): unknown {
  // Loaded by the first file there is: most gateways have none.
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const lines = new yaml.LineCounter();
  const fail = (reason: string, offset: number | undefined): never => {
    throw new DocumentError(`${reason}${offset === undefined ? '' : ` in line ${lines.linePos(offset).line}`}`);
  };
  const tokens = parsed(text, yaml, lines, fail);
  const documents = [
    ...new yaml.Composer({
      schema: 'core',
      resolveKnownTags: false,
      merge: false,
      uniqueKeys: false,
      logLevel: 'error',
    }).compose(tokens),
  ];
  const [document, second] = documents;
  if (document === undefined || document.contents === null) return fail('is empty', undefined);
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) return fail(`is not YAML (${problem.code})`, problem.pos[0]);
  if (second !== undefined) return fail('has a second document', second.range[0]);
  return valueOf(document.contents, yaml, fail);
}

type Fail = (reason: string, offset: number | undefined) => never;

/** The concrete syntax, read without recursion and bounded before anything is made of it. */
function parsed(text: string, yaml: typeof Yaml, lines: Yaml.LineCounter, fail: Fail): Yaml.CST.Token[] {
  lines.addNewLine(0);
  const parser = new yaml.Parser(lines.addNewLine);
  const tokens: Yaml.CST.Token[] = [];
  let count = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    count += 1;
    if (count > TOKEN_LIMIT) fail(`has more than ${TOKEN_LIMIT} words and signs`, undefined);
    for (const token of parser.next(lexeme)) tokens.push(token);
  }
  for (const token of parser.end()) tokens.push(token);
  let level: unknown[] = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_LIMIT) fail(`is nested more than ${DEPTH_LIMIT} deep`, undefined);
    level = level.flatMap(inside);
  }
  return tokens;
}

/** The tokens one level below a token of the concrete syntax. */
const inside = (token: unknown): unknown[] => {
  const { value, items } = token as { value?: unknown; items?: { key?: unknown; value?: unknown }[] };
  const below = items === undefined ? [value] : items.flatMap((item) => [item.key, item.value]);
  return below.filter((one) => typeof one === 'object' && one !== null);
};

function valueOf(node: unknown, yaml: typeof Yaml, fail: Fail): unknown {
  if (yaml.isAlias(node))
    return fail(`has an alias (*${node.source.slice(0, 32)}), which it does not take,`, startOf(node));
  if (!yaml.isNode(node)) return null;
  if ((yaml.isScalar(node) || yaml.isCollection(node)) && node.anchor !== undefined)
    return fail(`has an anchor (&${node.anchor.slice(0, 32)}), which it does not take,`, startOf(node));
  if (yaml.isScalar(node)) return node.value;
  if (yaml.isSeq(node)) return node.items.map((item) => valueOf(item, yaml, fail));
  if (!yaml.isMap(node)) return fail('has something that is no map, list or value', startOf(node));
  const map: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of node.items) {
    if (!yaml.isScalar(key) || typeof key.value !== 'string')
      return fail('has a key that is not a text', startOf(yaml.isNode(key) ? key : node));
    const name = key.value;
    if (name === '__proto__') return fail('has the key "__proto__", which nothing may have,', startOf(key));
    if (Object.hasOwn(map, name)) return fail(`has the key ${JSON.stringify(name.slice(0, 64))} twice`, startOf(key));
    map[name] = valueOf(value, yaml, fail);
  }
  return map;
}

const startOf = (node: Yaml.Node): number | undefined => node.range?.[0];
