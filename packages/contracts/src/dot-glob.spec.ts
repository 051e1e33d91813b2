import { describe, expect, it } from '@jest/globals';
import { DotGlob, StarGlob, isDotGlob } from './dot-glob.js';

describe('[FD-10][SS-2] a pattern over full names', () => {
  it.each([
    ['cluster.*', 'cluster.pods_list', true],
    ['cluster.*', 'cluster2.pods_list', false],
    ['*.delete_*', 'files.delete_file', true],
    ['*.delete_*', 'files.undelete_file', false],
    ['billing.get_*', 'billing.get_', true],
    ['billing.get_*', 'billing.get', false],
    ['billing.refund', 'billing.refund', true],
    ['billing.refund', 'billing.refunds', false],
    ['*', 'files.read', true],
    ['**', 'files.read.deep', true],
    ['*.*', 'files.read', true],
    ['files.**', 'files.read', true],
    ['f*s.r*d', 'files.read', true],
    ['f*s.r*d', 'files.read.x', false],
    ['files.a*b*c', 'files.aXbXc', true],
    ['files.a*b*c', 'files.abXc.c', true],
    ['files.a*ba', 'files.aba', true],
    ['files.ab*ba', 'files.aba', false],
    ['files.*ab*ab', 'files.abab', true],
    ['files.*ab*ab', 'files.ab', false],
  ])('%s on %s: %s', (pattern, name, expected) => {
    expect(isDotGlob(pattern)).toBe(true);
    expect(new DotGlob(pattern).matches(name)).toBe(expected);
  });

  it('takes everything after the first dot as one segment, and crosses that dot with no star', () => {
    expect(new DotGlob('files.*').matches('files.a.b.c')).toBe(true);
    expect(new DotGlob('files.*.c').matches('files.a.b.c')).toBe(true);
    expect(new DotGlob('files.a.*').matches('files.a.b.c')).toBe(true);
    expect(new DotGlob('*.b').matches('files.a.b')).toBe(false);
    expect(new DotGlob('*.c').matches('a.b.c')).toBe(false);
    expect(new DotGlob('f*.read').matches('files.deep.read')).toBe(false);
    // An upstream that names its tool like another domain's stays in its own.
    expect(new DotGlob('cluster.*').matches('evil.cluster.pods_list')).toBe(false);
  });

  it('tells cases apart, and takes no character but * for a sign', () => {
    expect(new DotGlob('files.Read').matches('files.read')).toBe(false);
    for (const sign of ['?', '[a-z]', '(x|y)', '.', '\\w', '+', '^x$'])
      expect(new DotGlob(`files.${sign}`).matches('files.x')).toBe(false);
    expect(new DotGlob('files.[a](b)+').matches('files.[a](b)+')).toBe(true);
  });

  it.each(['', '.', 'files', 'files.', '.read', 'Files.read', 'fi les.read', 'files*', 'files.a\nb', 'a_b.c', 'é.x'])(
    'is not %j',
    (text) => expect(isDotGlob(text)).toBe(false),
  );

  it('has a bounded length', () => {
    expect(isDotGlob(`files.${'x'.repeat(250)}`)).toBe(true);
    expect(isDotGlob(`files.${'x'.repeat(251)}`)).toBe(false);
  });

  it('is matched in linear time, whatever it looks like', () => {
    const hostile = new DotGlob(`files.${'*a'.repeat(124)}*b`);
    const startedAt = performance.now();
    for (let round = 0; round < 100; round += 1) expect(hostile.matches(`files.${'a'.repeat(10_000)}`)).toBe(false);
    // A matcher that tries again what has failed would not end this century.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('agrees with the textbook on random patterns', () => {
    let seed = 7;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const text = (of: string, length: number) =>
      Array.from({ length: next(length) }, () => of[next(of.length)]).join('');
    const textbook = (pattern: string, name: string): boolean =>
      pattern === ''
        ? name === ''
        : pattern[0] === '*'
          ? textbook(pattern.slice(1), name) || (name !== '' && textbook(pattern, name.slice(1)))
          : name[0] === pattern[0] && textbook(pattern.slice(1), name.slice(1));
    for (let round = 0; round < 5_000; round += 1) {
      const [pattern, name] = [text('ab*', 8), text('ab', 8)];
      expect([pattern, name, new StarGlob(pattern).matches(name)]).toEqual([pattern, name, textbook(pattern, name)]);
    }
  });

  it.each([
    ['*', 'files.*', true],
    ['*', '**', true],
    ['*.*', '*', true],
    ['files.*', '*', false],
    ['files.*', 'files.read_*', true],
    ['files.read_*', 'files.*', false],
    ['*.read', 'f*.read', true],
    ['f*.read', '*.read', false],
    ['files.*a*', 'files.a', true],
    ['files.a', 'files.a', true],
  ])('%s covers %s: %s', (one, other, expected) => {
    expect(new DotGlob(one).covers(new DotGlob(other))).toBe(expected);
  });
});
