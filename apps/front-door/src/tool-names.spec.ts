import { describe, expect, it } from '@jest/globals';
import { NameIndex, SHOWN_NAME, fold, publishedName, shownNames, type NameStyle } from './tool-names.js';

const items = (
  published: readonly (readonly [domain: string, name: string, mount?: 'root'])[],
  style: NameStyle = 'dotted',
) => {
  const names = published.map(([domain, name, mount]) => publishedName(domain, name, mount ?? 'namespace'));
  const shown = shownNames(names, style);
  return published.map(([domain, name], index) => ({
    domain,
    name,
    published: names[index] ?? '',
    shown: shown[index] ?? '',
  }));
};
const found = (index: NameIndex<{ published: string; shown: string; domain: string; name: string }>, name: string) => {
  const hit = index.find(name);
  return hit instanceof Array ? hit.map((item) => item.published) : hit?.published;
};

describe('[FD-11] published names', () => {
  it('are <domain>.<tool>, and the tool alone at the root', () => {
    expect(publishedName('files', 'read', 'namespace')).toBe('files.read');
    expect(publishedName('files', 'a.b.c', 'namespace')).toBe('files.a.b.c');
    expect(publishedName('files', 'read', 'root')).toBe('read');
  });

  it('are routed by a map: dots and hyphens in either part mislead nobody', () => {
    const index = new NameIndex(
      items([
        ['a-b', 'c.d'],
        ['a', 'b-c.d'],
        ['a', 'b.c'],
      ]),
    );
    expect(found(index, 'a-b.c.d')).toBe('a-b.c.d');
    expect(found(index, 'a.b-c.d')).toBe('a.b-c.d');
    expect(found(index, 'a.b.c')).toBe('a.b.c');
  });
});

describe('[FD-12] resolution', () => {
  it('never guesses between a folded name and an alias that spell the same', () => {
    const index = new NameIndex(
      items([
        ['mcp', '_ok__run'],
        ['ok', 'run'],
      ]),
    );
    expect(found(index, 'mcp__ok__run')).toEqual(['mcp._ok__run', 'ok.run']);
    expect([found(index, 'ok.run'), found(index, 'mcp._ok__run')]).toEqual(['ok.run', 'mcp._ok__run']);
  });

  const index = new NameIndex(
    items([
      ['files', 'read_file'],
      ['files', 'read.file'],
      ['my-files', 'list/all'],
      ['x', 'a__b'],
      ['x', 'größe'],
      ['files', '__proto__'],
      ['one', 'constructor'],
    ]),
  );

  it.each([
    ['files.read_file', 'files.read_file'],
    ['files.read.file', 'files.read.file'],
    ['my-files_list_all', 'my-files.list/all'],
    ['my-files.list/all', 'my-files.list/all'],
    ['mcp__files__read_file', 'files.read_file'],
    ['mcp__files__read.file', 'files.read.file'],
    ['mcp__my-files__list/all', 'my-files.list/all'],
    ['mcp__my-files__list_all', 'my-files.list/all'],
    ['mcp__x__a__b', 'x.a__b'],
    ['x_gr__e', 'x.größe'],
    ['files.__proto__', 'files.__proto__'],
    ['files___proto__', 'files.__proto__'],
    ['one_constructor', 'one.constructor'],
  ])('finds %s as %s', (name, published) => expect(found(index, name)).toBe(published));

  it.each([
    'files.read',
    'files',
    'read_file',
    'FILES.read_file',
    'files-read_file',
    '__proto__',
    'constructor',
    'toString',
    '',
    'mcp__files',
    'mcp__files__',
    'mcp____read_file',
    ' files.read_file',
    'files_read_file ',
  ])('knows nothing of %j', (name) => expect(found(index, name)).toBeUndefined());

  it('never guesses between two that fold alike, and says which', () => {
    const both = new NameIndex(
      items([
        ['a', 'b.c'],
        ['a', 'b_c'],
        ['a', 'b-c'],
      ]),
    );
    expect(found(both, 'a_b_c')).toEqual(['a.b.c', 'a.b_c']);
    expect(found(both, 'a_b-c')).toBe('a.b-c');
    expect(found(both, 'mcp__a__b.c')).toBe('a.b.c');
    expect(found(both, 'mcp__a__b_c')).toBe('a.b_c');
  });

  it('takes the exact name before a folded one of another', () => {
    const index = new NameIndex(
      items([
        ['files', 'read'],
        ['solo', 'files_read', 'root'],
      ]),
    );
    expect(found(index, 'files_read')).toBe('files_read');
    expect(found(index, 'files.read')).toBe('files.read');
    expect(found(index, 'mcp__solo__files_read')).toBe('files_read');
  });

  it('takes the exact server and tool before one that only folds to it', () => {
    const index = new NameIndex(
      items([
        ['a', 'x y'],
        ['a', 'x_y'],
      ]),
    );
    expect(found(index, 'mcp__a__x_y')).toBe('a.x_y');
    expect(found(index, 'mcp__a__x y')).toBe('a.x y');
  });
});

describe('[FD-13] shown names', () => {
  const hostile = [
    '__proto__',
    'constructor',
    'x'.repeat(1_000),
    `${'x'.repeat(999)}y`,
    '🧨',
    '🧨🧨',
    'a b',
    'a/b',
    'a\u0000b',
    '\ud800',
    '\udc00',
    '…'.repeat(300),
    '..',
    '-',
    ' ',
  ];
  const published = hostile.map((name) => `evil.${name}`);

  it.each(['dotted', 'folded'] as const)('%s: are taken by every client, distinct, and lead back', (style) => {
    const all = items(
      hostile.map((name) => ['evil', name] as const),
      style,
    );
    const index = new NameIndex(all);
    expect(new Set(all.map((item) => item.shown)).size).toBe(hostile.length);
    for (const item of all) {
      expect(item.shown).toMatch(style === 'folded' ? /^[A-Za-z0-9_-]{1,64}$/ : SHOWN_NAME);
      expect(index.find(item.shown)).toBe(item);
      expect(index.find(item.published)).toBe(item);
    }
  });

  it('leave a name of 64 characters alone and shorten one of 65, the same at every start', () => {
    expect(shownNames(['a'.repeat(64)], 'dotted')).toEqual(['a'.repeat(64)]);
    expect(shownNames(['a'.repeat(65)], 'dotted')).toEqual([`${'a'.repeat(53)}_abe7e9fed6`]);
    expect(shownNames([`${'a'.repeat(65)}b`], 'dotted')[0]).not.toBe(shownNames(['a'.repeat(65)], 'dotted')[0]);
  });

  it('do not depend on the order they come in, nor on neighbours that are spelled otherwise', () => {
    const forward = shownNames(published, 'dotted');
    expect(shownNames(published.toReversed(), 'dotted').toReversed()).toEqual(forward);
    expect(published.map((name) => shownNames([name], 'dotted')[0])).toEqual(forward);
  });

  it('folded: all that collide get the suffix, the others none', () => {
    const shown = shownNames(['a.b.c', 'a.b_c', 'a.d', 'a.e f'], 'folded');
    expect(shown[0]).toMatch(/^a_b_c_[0-9a-f]{10}$/);
    expect(shown[1]).toMatch(/^a_b_c_[0-9a-f]{10}$/);
    expect(shown[0]).not.toBe(shown[1]);
    expect(shown.slice(2)).toEqual(['a_d', 'a_e_f']);
  });

  it('folded: the name that collides is still nobody’s, the suffixed ones are somebody’s', () => {
    const all = items(
      [
        ['a', 'b.c'],
        ['a', 'b_c'],
      ],
      'folded',
    );
    const index = new NameIndex(all);
    expect(found(index, 'a_b_c')).toEqual(['a.b.c', 'a.b_c']);
    for (const item of all) expect(index.find(item.shown)).toBe(item);
  });

  it('give nobody a name that another already bears', () => {
    const long = 'a'.repeat(65);
    const [shortened = ''] = shownNames([long], 'dotted');
    expect(shownNames([shortened, long], 'dotted')).toEqual([shortened, undefined]);
    expect(shownNames([long, shortened], 'dotted')).toEqual([undefined, shortened]);
  });

  it('fold every character a client refuses into one underscore', () => {
    expect(fold('a.b/c d:e')).toBe('a_b_c_d_e');
    expect(fold('🧨ß')).toBe('__');
    expect(fold('A-Z_a-z0-9')).toBe('A-Z_a-z0-9');
  });
});

describe('[FD-12][FD-32] a source whose names are all alike', () => {
  const COUNT = 20_000;
  const character = (index: number): string => String.fromCodePoint(0x4e00 + index);
  /** Milliseconds that so many names take to be assigned and indexed. */
  const timed = (nameOf: (index: number) => string, style: NameStyle): number => {
    const published = Array.from({ length: COUNT }, (_unused, index) => ['a', nameOf(index)] as const);
    const startedAt = performance.now();
    const index = new NameIndex(items(published, style));
    const tookMs = performance.now() - startedAt;
    expect(found(index, `a.${nameOf(COUNT - 1)}`)).toBe(`a.${nameOf(COUNT - 1)}`);
    return tookMs;
  };

  it.each<[string, (index: number) => string, NameStyle]>([
    ['of one character each', character, 'dotted'],
    ['of one character each, folded', character, 'folded'],
    ['of long names', (index) => `${'x'.repeat(100)}${character(index)}`, 'dotted'],
    [
      'of names that differ in dots and slashes',
      (index) => index.toString(2).padStart(15, '0').replaceAll('0', '.').replaceAll('1', '/'),
      'dotted',
    ],
  ])('%s costs about what as many different names cost', (_what, nameOf, style) => {
    // Told apart by a number in front, and altered all the same.
    const turns = [0, 1].map(() => ({
      different: timed((index) => `${index}-${nameOf(index)}`, style),
      alike: timed(nameOf, style),
    }));
    const different = Math.min(...turns.map((turn) => turn.different));
    const alike = Math.min(...turns.map((turn) => turn.alike));
    // What grows with the square of those alike takes more than ten times as long.
    expect(alike / different).toBeLessThan(10);
  });
});
