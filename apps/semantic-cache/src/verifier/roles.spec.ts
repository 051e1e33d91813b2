import { describe, expect, it } from '@jest/globals';
import { sameComparison, sameSubject, sameTense, sameVoice } from './roles.js';
import { wordsOf } from './words.js';

type Same = typeof sameVoice;
const each = (same: Same, pairs: readonly (readonly [string, string])[], expected: boolean): void => {
  const found = pairs.map(([a, b]) => [a, b, same(wordsOf(a), wordsOf(b)), same(wordsOf(b), wordsOf(a))]);
  expect(found).toEqual(pairs.map(([a, b]) => [a, b, expected, expected]));
};

describe('[SC-4] who does what to whom, where the words stand in one order', () => {
  it('[SC-4] tells who is asked for from what is asked for', () => {
    each(
      sameSubject,
      [
        ['Which service calls billing?', 'Which service does billing call?'],
        ['What do lions eat?', 'What eats lions?'],
        ['Who did Google acquire?', 'Who acquired Google?'],
      ],
      false,
    );
    each(
      sameSubject,
      [
        ['What is the meaning of idempotent?', 'What does idempotent mean?'],
        ['Which service does billing call?', 'Which service does billing call'],
        ['Which service calls billing?', 'What does billing do?'],
      ],
      true,
    );
  });

  it('[SC-4] tells the passive from the active', () => {
    each(
      sameVoice,
      [
        ['Who invited Maria?', 'Who was invited by Maria?'],
        ['Is the parent blocking the child?', 'Is the parent blocked by the child?'],
        ['Who made the model?', 'Who was made by the model?'],
        ['Le lion chasse le zèbre.', 'Le lion est chassé par le zèbre.'],
      ],
      false,
    );
    each(
      sameVoice,
      [
        ['What are the best comments by Tom?', 'What are the best comments made by Tom?'],
        ['Who was invited by Maria?', 'Who has been invited by Maria?'],
        ['How do I get there by train?', 'How do I get there?'],
      ],
      true,
    );
  });

  it('[SC-4] tells "as fast as" from "faster than", and the French imperfect from the present', () => {
    each(
      sameComparison,
      [
        ['is it as fast as Go?', 'is it faster than Go?'],
        ['aussi grand que Tom', 'plus grand que Tom'],
      ],
      false,
    );
    each(sameComparison, [['is it faster than Go?', 'is it quicker than Go?']], true);
    each(sameTense, [['Qui dirige le projet ?', 'Qui dirigeait le projet ?']], false);
    each(sameTense, [['un portrait parfait', 'un portrait parfait de Tom']], true);
  });
});
