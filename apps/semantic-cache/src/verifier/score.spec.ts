import { describe, expect, it } from '@jest/globals';
import { featuresOf } from './features.js';
import { scoreOf, scoreOfOdds, type Coefficients } from './score.js';

const EMPTY = { text: '', words: [], content: [] };
const TREES: Coefficients['english']['trees'] = [
  [[0, 0.9, 1, 2], [-2], [3]],
  [[1, 0.5, 1, 2], [0.5], [-0.5]],
];
const COEFFICIENTS: Coefficients = {
  features: ['cosine', 'french'],
  english: { base: -1, trees: TREES, slope: 2, shift: 1 },
  french: { base: 0, trees: TREES, slope: 1, shift: -1 },
};
const probability = (odds: number): number => 1 / (1 + Math.exp(-odds));

describe('[SC-4] the score', () => {
  it('[SC-4] adds up the leaves that the features lead to, and straightens them by language', () => {
    expect(scoreOf({ cosine: 0.95, french: 0 }, COEFFICIENTS)).toBeCloseTo(probability(2 * (-1 + 3 + 0.5) + 1), 10);
    expect(scoreOf({ cosine: 0.9, french: 0 }, COEFFICIENTS)).toBeCloseTo(probability(2 * (-1 - 2 + 0.5) + 1), 10);
    expect(scoreOf({ cosine: 0.95, french: 1 }, COEFFICIENTS)).toBeCloseTo(probability(3 - 0.5 - 1), 10);
    expect(scoreOfOdds(0, { french: 1 }, COEFFICIENTS)).toBeCloseTo(probability(-1), 10);
  });

  it('[SC-4] throws rather than score what it can not read', () => {
    expect(() => scoreOf({ cosine: 0.95 }, COEFFICIENTS)).toThrow('Coefficients of other features.');
    expect(() => scoreOf({ cosine: Number.NaN, french: 0 }, COEFFICIENTS)).toThrow('Coefficients of other features.');
  });

  it('[SC-4] ships coefficients of the features that there are', () => {
    const score = scoreOf(featuresOf(1, EMPTY, EMPTY, () => 1));
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThan(1);
  });
});
