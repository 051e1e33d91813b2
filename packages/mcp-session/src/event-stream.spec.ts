import { describe, expect, it } from '@jest/globals';
import { EventStreamReader, EventTooLarge } from './event-stream.js';

const read = (chunks: Iterable<Buffer>, limit = 1_000_000) => {
  const data: string[] = [];
  const reader = new EventStreamReader(limit, (event) => data.push(event));
  for (const chunk of chunks) reader.push(chunk);
  return { data, reader };
};

describe('EventStreamReader', () => {
  const stream =
    ': hello\n\ndata: one\n\nevent: message\r\ndata:two\r\nid: 7\r\n\r\ndata: a\rdata: b\r\rretry: 250\ndata: ö✓𝄞\n\ndata\n\nid: 8\n\nrest';
  const events = ['one', 'two', 'a\nb', 'ö✓𝄞', ''];

  it('reads the same events however the bytes are cut', () => {
    const bytes = Buffer.from(stream);
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      const { data, reader } = read(chunks);
      expect(data).toEqual(events);
      expect(reader).toMatchObject({ lastEventId: '8', retryMs: 250 });
    }
  });

  it('ignores a retry that is no number, and an id with a NUL', () => {
    expect(read([Buffer.from('retry: soon\nid: a\0b\ndata: x\n\n')]).reader).toMatchObject({
      lastEventId: undefined,
      retryMs: undefined,
    });
  });

  it.each([
    ['one line without an end', 'x'.repeat(2_000)],
    ['one event of many lines', 'data: y\n'.repeat(500)],
    ['one event of many empty lines', 'data\n'.repeat(1_500)],
  ])('throws on %s', (_what, text) => {
    expect(() => read([Buffer.from(text)], 1_000)).toThrow(EventTooLarge);
  });

  it('bounds one event, not the stream', () => {
    expect(read([Buffer.from(`data: ${'x'.repeat(900)}\n\n`.repeat(100))], 1_000).data).toHaveLength(100);
    expect(read([Buffer.from(`: ${'k'.repeat(900)}\n`.repeat(100))], 1_000).data).toEqual([]);
  });

  it('takes time in proportion to the stream, whatever its lines', () => {
    const started = performance.now();
    read([Buffer.from('\r\n'.repeat(1_000_000))]);
    read(
      Array.from({ length: 2_000 }, () => Buffer.alloc(4_096, 'x')),
      100_000_000,
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
