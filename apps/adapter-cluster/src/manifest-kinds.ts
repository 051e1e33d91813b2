import { Composer, Parser, isAlias, isMap, isNode, isScalar, visit } from 'yaml';
import type { Document } from 'yaml';

/** A manifest that cannot be read for certain, with the reason as the end of a sentence. */
export class UnreadableManifest extends Error {}

/** In characters: what a hostile one of them costs to parse stays well under a second. */
const LONGEST_MANIFEST = 128 * 1024;
/** Deeper than any manifest, shallower than any stack. */
const DEEPEST = 100;
/**
 * Line ends that YAML 1.1, the server's, knows and YAML 1.2, ours, does not, and characters that no YAML has: with them a
 * comment for one is a key for the other.
 */
// eslint-disable-next-line no-control-regex
const AMBIGUOUS = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
/** Keys that a thing has and a mere reference to one (a role's subject, an owner) has not. */
const OBJECT_KEYS = ['metadata', 'data', 'stringdata', 'type', 'immutable'];

/**
 * Every kind that a manifest (YAML or JSON, any number of documents) would touch: of each document, of each item of a
 * `List`, and of whole objects nested anywhere in it. Throws UnreadableManifest for what two parsers could read in two
 * ways: a syntax error, a tab as indent, a key given twice, an anchor, an alias, a merge key, a tag, a directive.
 */
export function manifestKinds(text: string): string[] {
  if (text.length > LONGEST_MANIFEST) throw new UnreadableManifest('is longer than 128 KiB');
  if (AMBIGUOUS.test(text)) throw new UnreadableManifest('has control characters or unusual line ends');
  if (/^%/m.test(text)) throw new UnreadableManifest('has a YAML directive');
  const kinds: string[] = [];
  for (const document of documentsOf(text)) collect(document, true, kinds, 0);
  return kinds;
}

/** The kinds in a value that is given as JSON already. */
export function valueKinds(value: unknown): string[] {
  const kinds: string[] = [];
  collect(value, true, kinds, 0);
  return kinds;
}

function documentsOf(text: string): unknown[] {
  try {
    return plainDocuments(text);
  } catch (error) {
    // A nesting that ends the parser's stack is no manifest either.
    throw error instanceof UnreadableManifest ? error : new UnreadableManifest('is not plain, valid YAML');
  }
}

/** One token after another, so that a text of nothing but errors ends at the first. */
function plainDocuments(text: string): unknown[] {
  // Not the library's own check of keys, which compares each with every other; nor its errors with their surroundings.
  const composer = new Composer({ uniqueKeys: false, merge: false, logLevel: 'silent', prettyErrors: false });
  const documents: unknown[] = [];
  const take = (document: Document.Parsed) => void documents.push(plainDocument(document));
  for (const token of new Parser().parse(text)) {
    if (token.type === 'error') refuse('is not plain, valid YAML');
    for (const document of composer.next(token)) take(document);
  }
  for (const document of composer.end()) take(document);
  return documents;
}

function plainDocument(document: Document.Parsed): unknown {
  if (document.errors.length > 0 || document.warnings.length > 0) refuse('is not plain, valid YAML');
  visit(document, (_key, node) => {
    if (isAlias(node)) refuse('has an alias');
    if (isNode(node) && (node.tag !== undefined || ('anchor' in node && node.anchor !== undefined))) {
      refuse('has a tag or an anchor');
    }
    if (!isMap(node)) return;
    const keys = node.items.map(({ key }) =>
      isScalar(key) ? String(key.value) : refuse('has a key that is no plain word'),
    );
    if (keys.includes('<<')) refuse('has a merge key');
    if (new Set(keys).size < keys.length) refuse('has a key twice');
  });
  return document.toJS({ maxAliasCount: 0 });
}

function refuse(why: string): never {
  throw new UnreadableManifest(why);
}

function collect(value: unknown, isRoot: boolean, kinds: string[], depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEEPEST) throw new UnreadableManifest('is nested too deeply');
  if (Array.isArray(value)) {
    for (const item of value) collect(item, isRoot, kinds, depth + 1);
    return;
  }
  // Keys without case: the server's JSON reader takes `Kind` and `Items` as well.
  const entries = Object.entries(value).map(([key, item]) => [key.toLowerCase(), item] as const);
  const isObject = isRoot || entries.some(([key]) => OBJECT_KEYS.includes(key));
  for (const [key, item] of entries) {
    if (key === 'kind' && typeof item === 'string' && isObject) kinds.push(item);
    else collect(item, isRoot && key === 'items', kinds, depth + 1);
  }
}
