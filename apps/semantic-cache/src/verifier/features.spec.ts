import { describe, expect, it } from '@jest/globals';
import { rarityOf } from './common-words.js';
import { featuresOf, type ReadText } from './features.js';
import { wordsOf } from './words.js';

/** Each word has a direction of its own, so that only equal words are near. */
const directions = new Map<string, number>();
function read(text: string): ReadText {
  const words = wordsOf(text);
  const content = words
    .filter((word) => word.content)
    .map((word) => {
      const at = directions.get(word.stem) ?? directions.size;
      directions.set(word.stem, at);
      return { word, vector: new Float32Array(64).fill(1, at, at + 1) };
    });
  return { text, words, content };
}
const between = (a: string, b: string) => featuresOf(0.9, read(a), read(b), rarityOf);

describe('[SC-4] the features of a pair', () => {
  it('[SC-4] are the same whichever text comes first', () => {
    const pairs = [
      ['What does a grey wolf husky mix look like?', 'What does a wolf and husky mix look like?'],
      ['Why is it slow in France?', 'How slow is it on my phone, and when?'],
      ['Un chat joue du piano.', 'Un homme joue de la guitare avec un ami.'],
    ] as const;
    for (const [a, b] of pairs) {
      for (const [name, value] of Object.entries(between(b, a)))
        expect([name, value]).toEqual([name, expect.closeTo(between(a, b)[name]!, 10)]);
    }
  });

  it('[SC-4] know the weakest match of any content word, and which words are new', () => {
    expect(between('reset the password', 'reset my passwords')).toMatchObject({
      weakest: 1,
      newWords: 0,
      rareShare: 0,
      overlap: 1,
    });
    expect(between('reset the password', 'reset the thermostat')).toMatchObject({
      weakest: 0,
      oneForOne: 1,
      overlap: 0.5,
    });
    expect(between('reset the password', 'reset the password of Zwingli')).toMatchObject({
      names: 1,
      endsElsewhere: 1,
      rarest: 1,
    });
    expect(between('he walked in the rain', 'he walked in the zwinger').rarest).toBeGreaterThan(
      between('he walked in the zwinger', 'he walked in the zwinger').rarest!,
    );
  });

  it('[SC-4] know what is asked, of whom and where', () => {
    expect(between('Why does it fail?', 'When does it fail?')).toMatchObject({ question: 1, questionLoose: 1 });
    expect(between('How do I learn Rust?', 'What is the way to learn Rust?')).toMatchObject({
      question: 1,
      questionLoose: 0,
    });
    expect(between('Can I learn Rust?', 'How can I learn Rust?')).toMatchObject({ yesNo: 1 });
    expect(between('Où est le chat ?', 'Pourquoi est le chat ?')).toMatchObject({ where: 1, french: 1 });
    expect(between('What is a diving bell?', 'How does a diving bell work?')).toMatchObject({
      definition: 1,
      french: 0,
    });
    expect(between('Does she sing?', 'Does the cat sing and dance?')).toMatchObject({
      thirdPerson: 1,
      joined: 1,
      conjunctions: 1,
    });
    expect(between('It fails. Why?', 'Why does it fail?').sentences).toBe(1);
  });
});
