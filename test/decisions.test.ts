import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const folder = join(import.meta.dirname, '../docs/decisions');
const pages = readdirSync(folder).filter((name) => name !== 'README.md');

it('every decision is dated, and in the index', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const linked = [...index.matchAll(/\]\(([\w.-]+\.md)\)/g)].map(([, page]) => page);
  expect(linked.sort()).toEqual(pages.sort());
  for (const page of pages) expect(readFileSync(join(folder, page), 'utf8')).toMatch(/(?<!\d)20\d\d-\d\d-\d\d(?!\d)/);
});
