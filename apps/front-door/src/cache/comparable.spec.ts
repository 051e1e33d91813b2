import { describe, expect, it } from '@jest/globals';
import { comparable } from './comparable.js';

const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

describe('[SC-17] two results', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['in another order of keys', { a: 1, b: [1] }, { b: [1], a: 1 }, []],
    ['but for a volatile key', { a: 1, age: 5 }, { a: 1, age: 6 }, ['$.age']],
    [
      'but for one in each item',
      {
        items: [
          { n: 1, at: 1 },
          { n: 2, at: 2 },
        ],
      },
      {
        items: [
          { n: 1, at: 8 },
          { n: 2, at: 9 },
        ],
      },
      ['$.items[*].at'],
    ],
    ['but for one at a place', [{ at: 1 }, 2], [{ at: 3 }, 2], ['$[0].at']],
    ['but for a quoted key', { 'a-b': 1 }, { 'a-b': 2 }, ["$['a-b']"]],
    ['but for whatever is in it', { meta: { x: 1, y: 2 } }, { meta: {} }, ['$.meta.*']],
  ])('say the same %s', (_name, one, other, volatile) => {
    expect(comparable(text(one), volatile)).toBe(comparable(text(other), volatile));
    const structured = (value: unknown) => ({ content: [], structuredContent: value });
    expect(comparable(structured(one), volatile)).toBe(comparable(structured(other), volatile));
  });

  it.each<[string, unknown, unknown, string[]]>([
    ['a value', { a: 1 }, { a: 2 }, []],
    ['a kind', { a: 1 }, { a: '1' }, []],
    ['the order of a list', [1, 2], [2, 1], []],
    ['something else than what is volatile', { a: 1, age: 5 }, { a: 2, age: 5 }, ['$.age']],
    ['everything, when the path leads nowhere', { a: 1 }, { a: 2 }, ['$', '']],
  ])('differ by %s', (_name, one, other, volatile) => {
    expect(comparable(text(one), volatile)).not.toBe(comparable(text(other), volatile));
  });

  it('differ by words, and by other blocks', () => {
    const words = (said: string) => ({ content: [{ type: 'text', text: said }] });
    expect(comparable(words('yes'), [])).not.toBe(comparable(words('no'), []));
    const image = (data: string) => ({ content: [{ type: 'image', data, mimeType: 'image/png' }] });
    expect(comparable(image('AA=='), [])).not.toBe(comparable(image('AB=='), []));
  });
});
