import { describe, expect, it } from '@jest/globals';
import { historyProblems } from './lease-history.js';
import type { Hold } from './lease-history.js';

const hold = (resource: string, holder: string, fence: number, from: number, to: number): Hold => ({
  resource,
  holder,
  fence,
  from,
  to,
});

describe('[LE-6] the checker of histories', () => {
  it.each<[string, Hold[]]>([
    ['nothing', []],
    ['one hold', [hold('r', 'a', 1, 0, 10)]],
    ['one after another', [hold('r', 'a', 1, 0, 10), hold('r', 'b', 2, 11, 20), hold('r', 'a', 9, 21, 21)]],
    ['two resources at once, fences crossing', [hold('r', 'a', 5, 0, 10), hold('q', 'b', 4, 5, 7)]],
    ['told in any order', [hold('r', 'b', 2, 11, 20), hold('r', 'a', 1, 0, 10)]],
  ])('passes %s', (_what, history) => {
    expect(historyProblems(history)).toEqual([]);
  });

  it.each<[string, Hold[], RegExp[]]>([
    ['two at once', [hold('r', 'a', 1, 0, 10), hold('r', 'b', 2, 5, 20)], [/^b on r .* overlaps a on r/]],
    ['a moment shared', [hold('r', 'a', 1, 0, 10), hold('r', 'b', 2, 10, 20)], [/overlaps/]],
    ['one within another', [hold('r', 'b', 2, 4, 5), hold('r', 'a', 1, 0, 10)], [/^b on r .* overlaps a on r/]],
    [
      'one within another but one',
      [hold('r', 'a', 1, 0, 30), hold('r', 'b', 2, 4, 5), hold('r', 'c', 3, 10, 12)],
      [/^b .* overlaps a/, /^c .* overlaps a/],
    ],
    ['the same holder twice', [hold('r', 'a', 1, 0, 10), hold('r', 'a', 2, 5, 20)], [/overlaps/]],
    ['a fence that stays', [hold('r', 'a', 1, 0, 1), hold('r', 'b', 1, 2, 3)], [/^b .* no larger fence than a/]],
    ['a fence that falls', [hold('r', 'a', 2, 0, 1), hold('r', 'b', 1, 2, 3)], [/^b .* no larger fence than a/]],
    [
      'a fence below an earlier one',
      [hold('r', 'a', 5, 0, 1), hold('r', 'b', 2, 2, 3), hold('r', 'c', 3, 4, 5)],
      [/^b .* than a/, /^c .* than a/],
    ],
    ['no number for a fence', [hold('r', 'a', 1, 0, 1), hold('r', 'b', NaN, 2, 3)], [/no larger fence/]],
    ['an end before its beginning', [hold('r', 'a', 1, 3, 2)], [/ends before it begins/]],
  ])('finds %s', (_what, history, expected) => {
    const problems = historyProblems(history);
    expect(problems).toHaveLength(expected.length);
    for (const [index, sentence] of expected.entries()) expect(problems[index]).toMatch(sentence);
  });
});
