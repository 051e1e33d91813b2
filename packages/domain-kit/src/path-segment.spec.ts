import { describe, expect, it } from '@jest/globals';
import { path, pathSegment } from './path-segment.js';

describe('[AD-2] pathSegment', () => {
  const runId = pathSegment(/^[a-z0-9][a-z0-9-]{0,62}$/);

  it.each(['a', 'run-1', 'a'.repeat(63)])('takes %j', (id) => {
    expect(runId.parse(id)).toBe(id);
  });

  it.each(['', '..', '../x', '%2e%2e', 'a/b', 'a\\b', 'a\0', 'a\n', 'ａ', 'а', 'a'.repeat(64), 'A', ' a'])(
    'refuses %j',
    (id) => {
      expect(runId.safeParse(id).success).toBe(false);
    },
  );

  it('keeps every alternative within the anchors', () => {
    const either = pathSegment(/^a|b$/);
    expect(either.safeParse('b').success).toBe(true);
    expect(either.safeParse('ax').success).toBe(false);
    expect(either.safeParse('xb').success).toBe(false);
  });

  it('refuses dot segments and endless text whatever the pattern says', () => {
    const anything = pathSegment(/^.*$/);
    expect(['.', '..', 'x'.repeat(257)].map((id) => anything.safeParse(id).success)).toEqual([false, false, false]);
    expect(anything.safeParse('...').success).toBe(true);
  });

  it.each([/[a-z]+/, /^[a-z]+/, /[a-z]+$/, /^[a-z]+\$/, /^a$/m, /^a$/i, /^a$/g])(
    'takes no pattern like %s',
    (pattern) => {
      expect(() => pathSegment(pattern)).toThrow(/must begin with \^/);
    },
  );
});

describe('[AD-2] path', () => {
  it('encodes each value as one segment', () => {
    expect(path`/runs/${'a b/c?d#e%2f'}/logs/${7}`).toBe('/runs/a%20b%2Fc%3Fd%23e%252f/logs/7');
  });

  it.each(['', '.', '..', '\ud800'])('refuses %j', (value) => {
    expect(() => path`/runs/${value}`).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS', executed: 'no' }));
  });
});
