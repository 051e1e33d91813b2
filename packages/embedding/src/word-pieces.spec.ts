import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { WINDOW } from './embedder.js';
import { SHIPPED_MODEL } from './model-files.js';
import { createTokenizer } from './tokenizer.js';
import { splitIntoPieces } from './word-pieces.js';

const read = (name: string): object => JSON.parse(readFileSync(SHIPPED_MODEL + name, 'utf8')) as object;
const tokenizer = await createTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
const split = (text: string) => splitIntoPieces(text, tokenizer, { start: 101, end: 102 });
const references = JSON.parse(readFileSync(new URL('../test/reference-vectors.json', import.meta.url), 'utf8')) as {
  texts: { text: string; tokens: number }[];
};

describe('splitIntoPieces', () => {
  it('[SC-14] counts the tokens that the reference counts', () => {
    const counted = references.texts.map(({ text }) => ({ text, tokens: split(text).ids.length }));
    expect(counted).toEqual(references.texts.map(({ text, tokens }) => ({ text, tokens })));
  });

  it('gives the ids that the whole text has', () => {
    for (const text of [
      "l'état d'un cluster",
      'a.b-c_d/e@1',
      'don’t (stop) at 20°C',
      '日本語 text',
      'x\u200dy',
      '≥ 5 €',
    ]) {
      expect(split(text).ids).toEqual(tokenizer.encode(text).ids);
    }
  });

  it('stops where the window ends', () => {
    expect(split('a '.repeat(WINDOW - 2))).toMatchObject({ cut: false });
    const longer = split('unbelievably '.repeat(WINDOW));
    expect(longer.ids).toHaveLength(WINDOW);
    expect(longer.cut).toBe(true);
    expect(longer.words.at(-1)!.to).toBe(WINDOW - 1);
  });

  it('takes the spelling of a mark of the model as text', () => {
    expect(split('[SEP]').ids.filter((id) => id === 102)).toHaveLength(1);
  });
});
