import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEmbedder, type Embedder } from '@portico/embedding';
import type { VerifyMode } from '../src/verifier.js';
import { readingVerifier } from '../src/verifier/verify.js';

interface Swaps {
  generateSwaps(count: number, seed: number): { kind: string; a: string; b: string }[];
}
const THRESHOLD = 0.95;
const VERIFIER: VerifyMode = { verify: 'verifier', guards: 'on' };

describe('[SC-4] the verifier, with the model and the coefficients that ship', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await openEmbedder();
  });
  afterAll(() => embedder.close());

  const verdictOf = async (a: string, b: string, mode = VERIFIER) => {
    const [readA, readB] = await embedder.embed([a, b]);
    const cosine = readA!.vector.reduce((sum, value, i) => sum + value * readB!.vector[i]!, 0);
    const kept = readingVerifier.keep(b, readB!);
    return readingVerifier.verify({ text: a, read: readA! }, { text: b, kept }, cosine, mode);
  };
  const isServed = async (a: string, b: string): Promise<boolean> => {
    const verdict = await verdictOf(a, b);
    return 'score' in verdict && verdict.score >= THRESHOLD;
  };

  it('[SC-4] lets a text answer for one that asks the same', async () => {
    const pairs = [
      ['How can I learn to speak Hindi?', 'How do I learn to speak Hindi?'],
      ['What is the difference between a lease and a lock?', 'What is the difference between lease and lock?'],
      ['What are the best books to learn Rust?', 'Which are the best books to learn Rust?'],
      ['Un chien noir qui court dans l’eau.', 'Un chien noir court dans l’eau.'],
    ] as const;
    for (const [a, b] of pairs) expect({ a, b, served: await isServed(a, b) }).toEqual({ a, b, served: true });
  });

  it('[SC-4] lets none answer for one that asks something else', async () => {
    const pairs = [
      ['what is 1+1', 'what is 2+2'],
      ['How do I enable two-factor login?', 'How do I disable two-factor login?'],
      ['How is Apple better than Samsung?', 'How is Samsung better than Apple?'],
      ['list pods in namespace default', 'list pods in namespace kube-system'],
      ['What pods are failing in monitoring?', 'What pods are failing in production?'],
      ['Which issues are assigned to me?', 'Which issues are not assigned to me?'],
      ['Les députés votent la loi', 'Les députés rejettent la loi'],
      ['Quels pods redémarrent en boucle ?', 'Quels pods ne redémarrent pas en boucle ?'],
      ['Where can I get very efficient towing services?', 'Where can I get very affordable towing services?'],
      ['What is the weather in Paris?', 'What is the weather in London?'],
    ] as const;
    for (const [a, b] of pairs) {
      for (const [asked, stored] of [
        [a, b],
        [b, a],
      ] as const) {
        expect({ asked, stored, served: await isServed(asked, stored) }).toEqual({ asked, stored, served: false });
      }
    }
  });

  it('[SC-4] serves none of the generated pairs that differ in what matters', async () => {
    const generator = new URL('../calibration/swaps.mjs', import.meta.url);
    const { generateSwaps } = (await import(generator.href)) as Swaps;
    const swaps = generateSwaps(200, 4_711);
    expect(new Set(swaps.map(({ kind }) => kind)).size).toBe(7);
    for (const { a, b } of swaps) expect({ a, b, served: await isServed(a, b) }).toEqual({ a, b, served: false });
  });

  it('[SC-4] scores turning on as enabling, and never disabling as enabling', async () => {
    const same = await verdictOf('enable the alarm', 'turn on the alarm');
    const reversed = await verdictOf('enable the alarm', 'disable the alarm');
    expect(same).toHaveProperty('score');
    expect(reversed).toEqual({ refused: 'negation' });
  });

  it('[SC-4] takes two spellings of one text for the same', async () => {
    expect(await verdictOf('café à Orléans', 'café à Orléans'.normalize('NFD'))).toEqual({ score: 1 });
  });

  it('[SC-4] refuses what is longer than the window, though the ends alone differ', async () => {
    const long = 'word '.repeat(300);
    expect(await verdictOf(`${long} yes`, `${long} maybe`)).toEqual({ refused: 'length' });
    expect(await verdictOf('short', long)).toEqual({ refused: 'length' });
    expect(await verdictOf(' '.repeat(3_000), 'short')).toEqual({ refused: 'length' });
  });

  it('[SC-4] throws when what is kept is not of the text', async () => {
    const [a, b] = await embedder.embed(['Which pods restart?', 'Which nodes restart?']);
    const asked = { text: 'Which pods restart?', read: a! };
    const kept = readingVerifier.keep('Which nodes restart?', b!);
    expect(() => readingVerifier.verify(asked, { text: 'Which volumes restart?', kept }, 0.9, VERIFIER)).toThrow();
    expect(() =>
      readingVerifier.verify(asked, { text: 'Which nodes restart?', kept: new Uint8Array() }, 0.9, VERIFIER),
    ).toThrow();
  });

  it('[SC-1] has the plain rule as a mode, with the guards or without', async () => {
    const [a, b] = ['Which issues are assigned to me?', 'Which issues are not assigned to me?'];
    expect(await verdictOf(a, b, { verify: 'cosine', guards: 'on' })).toEqual({ refused: 'negation' });
    const plain = await verdictOf(a, b, { verify: 'cosine', guards: 'off' });
    expect('score' in plain && plain.score).toBeGreaterThan(0.8);
  });
});
