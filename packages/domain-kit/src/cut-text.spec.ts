import { describe, expect, it } from '@jest/globals';
import { cutText } from './cut-text.js';

describe('cutText', () => {
  const next = (at: number) => `go on at ${at}`;

  it('says what it cut off, and nothing where it cut nothing', () => {
    expect(cutText('abcdef', 1, 3, next)).toBe('bcd\n[cut: characters 1 to 4 of 6. go on at 4]');
    expect(cutText('abcdef', 3, 3, next)).toBe('def');
    expect(cutText('abcdef', 100, 3, next)).toBe('');
  });

  it.each([2, 3, 5, 8])('gives pieces of %i that are each well-formed and make the whole', (most) => {
    const whole = 'a😀b😀😀c';
    let text = '';
    for (let from = 0; from < whole.length;) {
      const piece = cutText(whole, from, most, String);
      const [shown = '', cut] = piece.split('\n[cut: ');
      expect(shown).not.toMatch(/\p{Cs}/u);
      text += shown;
      from = cut === undefined ? whole.length : Number(/\. (\d+)\]$/.exec(cut)?.[1]);
    }
    expect(text).toBe(whole);
  });

  it('shows a character whole that is asked for in its middle', () => {
    expect(cutText('😀b', 1, 10, next)).toBe('😀b');
  });
});
