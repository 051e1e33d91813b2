// Reads pairs of calls, and compares them as the product does: what is no free text must be equal, equal wholes are equal, and the free texts go
// through candidates, guards and score, each with its counterpart.
import { readFile } from 'node:fs/promises';
import { dot } from '../dist/verifier/alignment.js';
import { rarityOf } from '../dist/verifier/common-words.js';
import { featuresOf } from '../dist/verifier/features.js';
import { refusedByGuards } from '../dist/verifier/guards.js';
import { encodeWords } from '../dist/verifier/stored-words.js';
import { readPair } from '../dist/verifier/verify.js';

/** @typedef {{ id: string, source: string, lang: string, tool: string, freeText: string[], a: Record<string, unknown>, b: Record<string, unknown>, same: boolean }} CallPair */

const CANDIDATES = 0.85;

/** One pair a line; a line that is no pair stops it with its number. @param {string} file @returns {Promise<CallPair[]>} */
export async function readPairs(file) {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const pair = JSON.parse(line);
    if (
      typeof pair.a !== 'object' ||
      typeof pair.b !== 'object' ||
      !Array.isArray(pair.freeText) ||
      typeof pair.same !== 'boolean'
    ) {
      throw new Error(`Line ${at + 1} is no pair: it needs a, b, freeText and same.`);
    }
    return [pair];
  });
}

/** A text pair as a pair of calls. */
export const asCalls = ({ id, kind, lang, a, b, same }) => ({
  id,
  source: kind,
  lang,
  tool: 'docs.search',
  freeText: ['query'],
  a: { query: a },
  b: { query: b },
  same,
});

/** JSON with sorted keys and strings in NFC; numbers as RFC 8785 writes them, so that 1 and 1.0 are equal, and "1" and 1 are not. */
export function canonical(value) {
  if (typeof value === 'string') return JSON.stringify(value.normalize('NFC'));
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(([key, member]) => [key.normalize('NFC'), member]);
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join()}}`;
}

/** What is known of a pair without its texts' vectors. */
export function structureOf(pair) {
  if (canonical(pair.a) === canonical(pair.b)) return { lane: 'exact', texts: [] };
  const isFree = (call, name) => pair.freeText.includes(name) && typeof call[name] === 'string';
  const names = [...new Set([...Object.keys(pair.a), ...Object.keys(pair.b)])];
  const rest = (call) => canonical(Object.fromEntries(Object.entries(call).filter(([name]) => !isFree(call, name))));
  const free = names.filter((name) => isFree(pair.a, name) || isFree(pair.b, name));
  if (
    free.length === 0 ||
    rest(pair.a) !== rest(pair.b) ||
    free.some((name) => !isFree(pair.a, name) || !isFree(pair.b, name))
  )
    return { lane: 'none', texts: [] };
  return {
    lane: 'semantic',
    texts: free.map((name) => [pair.a[name].normalize('NFC'), pair.b[name].normalize('NFC')]),
  };
}

/** Embeds texts once each. */
export class Texts {
  constructor(embedder) {
    this.embedder = embedder;
    this.read = new Map();
  }
  async embed(texts) {
    const fresh = [...new Set(texts)].filter((text) => !this.read.has(text));
    for (let at = 0; at < fresh.length; at += 256) {
      const some = fresh.slice(at, at + 256);
      (await this.embedder.embed(some)).forEach((embedded, i) => this.read.set(some[i], embedded));
    }
  }
}

/** What the verifier sees of each free text: cosine, what refused it, or its features. @param {Texts} texts */
export function compare(pair, texts) {
  const { lane, texts: both } = structureOf(pair);
  const compared = both.map(([a, b]) => {
    const [readA, readB] = [texts.read.get(a), texts.read.get(b)];
    const cosine = Math.min(1, dot(readA.vector, readB.vector));
    if (a === b) return { cosine: 1, equal: true };
    if (cosine < CANDIDATES) return { cosine, refused: 'candidates' };
    const read = readPair({ text: a, read: readA }, { text: b, kept: encodeWords(readB) });
    const refused = read === undefined ? 'length' : refusedByGuards(read.a, read.b);
    return refused === undefined
      ? { cosine, features: featuresOf(cosine, read.a, read.b, rarityOf) }
      : { cosine, refused };
  });
  return { pair, lane, compared };
}

/** Features of a text pair, however low its cosine: for learning. */
export function featuresFor(a, b, texts) {
  const [readA, readB] = [texts.read.get(a), texts.read.get(b)];
  const read = readPair({ text: a, read: readA }, { text: b, kept: encodeWords(readB) });
  if (read === undefined || refusedByGuards(read.a, read.b) !== undefined) return undefined;
  const cosine = Math.min(1, dot(readA.vector, readB.vector));
  return { cosine, features: featuresOf(cosine, read.a, read.b, rarityOf) };
}
