import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { requirements } from '../requirements.js';
import { titlesById } from '../scripts/requirement-titles.js';

const tests = titlesById(join(import.meta.dirname, '..'));
const ids = requirements.map(({ id }) => id);

describe('requirements', () => {
  it('are each declared once, in one sentence, without a gap', () => {
    expect(new Set(ids).size).toBe(ids.length);
    const last = { FD: 33, DI: 13, UP: 14, SC: 17, SS: 9, LE: 6, AD: 18, OP: 15 };
    const all = Object.entries(last).flatMap(([part, count]) =>
      Array.from({ length: count }, (_, n) => `${part}-${n + 1}`),
    );
    expect(ids).toEqual(all);
    for (const { sentence } of requirements) expect(sentence).toMatch(/^\S.{20,180}\.$/);
  });

  it('that are proven have a test that names them', () => {
    const unproven = requirements.filter(({ id, state }) => state === 'proven' && !tests.has(id)).map(({ id }) => id);
    expect(unproven).toEqual([]);
  });

  it('that tests name are declared', () => {
    expect([...tests.keys()].filter((id) => !ids.includes(id))).toEqual([]);
  });
});
