import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOTS = ['apps', 'packages', 'test'];
const NOT_SOURCES = new Set(['node_modules', 'dist', '.turbo']);
const ID = /\[([A-Z]{2}-\d{1,3})\]/g;

/**
 * The ids that a title names, such as `[FD-12][FD-13] resolves …`.
 * @param {string} title
 * @returns {string[]}
 */
export const idsIn = (title) => [...title.matchAll(ID)].map((match) => match[1] ?? '');

/**
 * Each requirement id that a test's title names, as far as the text of the sources shows, with the titles.
 * @param {string} root
 * @returns {Map<string, string[]>}
 */
export function titlesById(root) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const file of sources(root)) {
    for (const [, , title = ''] of readFileSync(file, 'utf8').matchAll(/(['"`])((?:(?!\1).)*\[[A-Z]{2}-\d.*?)\1/g)) {
      for (const id of idsIn(title)) found.set(id, [...(found.get(id) ?? []), title]);
    }
  }
  return found;
}

/**
 * When a source of the product or of its tests was last changed, in milliseconds of the epoch.
 * @param {string} root
 */
export const lastChange = (root) => Math.max(0, ...sources(root).map((file) => statSync(file).mtimeMs));

/**
 * @param {string} root
 * @returns {string[]}
 */
const sources = (root) => ROOTS.flatMap((folder) => walk(join(root, folder))).filter((file) => file.endsWith('.ts'));

/**
 * @param {string} folder
 * @returns {string[]}
 */
const walk = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_SOURCES.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
