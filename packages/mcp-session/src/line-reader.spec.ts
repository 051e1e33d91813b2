import { describe, expect, it } from '@jest/globals';
import { LineReader } from './line-reader.js';

const read = (text: string, size: number, limit: number) => {
  const lines: string[] = [];
  const overlong: { ends: string; length: number }[] = [];
  const reader = new LineReader(
    limit,
    (line) => lines.push(line),
    (ends, length) => overlong.push({ ends, length }),
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return { lines, overlong, reader };
};

describe('LineReader', () => {
  it('cuts lines however the bytes come, and leaves out the empty ones', () => {
    for (let size = 1; size < 20; size++) {
      const { lines, reader } = read('{"a":"ö✓"}\n\n \r\nsecond\nrest', size, 100);
      expect(lines).toEqual(['{"a":"ö✓"}', 'second']);
      expect(reader.unfinished).toBe(4);
    }
  });

  it.each([1, 700, 5_000, 100_000])('keeps both ends of an overlong line and reads on, in chunks of %i', (size) => {
    const { lines, overlong } = read(`${'h'.repeat(600)}${'x'.repeat(20_000)}${'t'.repeat(600)}\nnext\n`, size, 2_000);
    expect(overlong).toEqual([{ ends: `${'h'.repeat(512)}${'t'.repeat(512)}`, length: 21_200 }]);
    expect(lines).toEqual(['next']);
  });

  it('takes a line of exactly the limit', () => {
    expect(read(`${'x'.repeat(100)}\n`, 7, 100).lines).toHaveLength(1);
    expect(read(`${'x'.repeat(101)}\n`, 7, 100).overlong).toHaveLength(1);
  });
});
