import { describe, expect, it } from '@jest/globals';
import { StderrRing } from './stderr-ring.js';

const after = (...chunks: (string | Buffer)[]): readonly string[] => {
  const ring = new StderrRing();
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  return ring.lines;
};
const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `line ${n}`);

describe('[UP-9] what is kept of standard error', () => {
  it('is every line while they are few, the last one too before it ends', () => {
    expect(after()).toEqual([]);
    expect(after('a\nb')).toEqual(['a', 'b']);
    expect(after('a\r\n', '', 'b', 'c\n')).toEqual(['a', 'bc']);
  });

  it.each([49, 50, 51, 52, 1_000])('is the last 50 of %i lines, however they arrive', (count) => {
    const lines = numbered(count);
    const expected = lines.slice(-50);
    const text = `${lines.join('\n')}\n`;
    expect(after(text)).toEqual(expected);
    expect(after(...text)).toEqual(expected);
    expect(after(...text.match(/[^]{1,700}/g)!)).toEqual(expected);
    // An open line counts as one.
    expect(after(text, 'open')).toEqual([...lines, 'open'].slice(-50));
    expect(after(`${text}open`)).toEqual([...lines, 'open'].slice(-50));
  });

  it('begins anew after a flood: what was open before it is gone with it', () => {
    expect(after('open', `\n${numbered(60).join('\n')}\n`)).toEqual(numbered(60).slice(-50));
    // Half a character before it spoils nothing of it.
    const half = Buffer.from([0xe2, 0x82]);
    expect(after(half, `${numbered(60).join('\n')}\n`)).toEqual(numbered(60).slice(-50));
  });

  it('is cut to 4,096 characters a line, and whole characters', () => {
    const long = 'x'.repeat(5_000);
    expect(after(`${long}\n`, long, long).map((line) => line.length)).toEqual([4_096, 4_096]);
    const euro = Buffer.from('€');
    expect(after(euro.subarray(0, 1), euro.subarray(1))).toEqual(['€']);
  });
});
