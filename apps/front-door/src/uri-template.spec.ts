import { describe, expect, it } from '@jest/globals';
import { UriTemplate } from '@modelcontextprotocol/server';
import { templateMatcher } from './uri-template.js';

const matches = (template: string, uri: string) => templateMatcher(template)?.matches(uri);

describe('[FD-31] matching a URI against a template', () => {
  it.each([
    ['test://template/{id}/data', 'test://template/123/data', true],
    ['test://template/{id}/data', 'test://template//data', false],
    ['test://template/{id}/data', 'test://template/1/2/data', false],
    ['test://template/{id}/data', 'test://template/1/data/', false],
    ['file:///{+path}', 'file:///a/b/c.txt', true],
    ['file:///{path}', 'file:///a/b', false],
    ['file://{/seg*}', 'file:///a/b', true],
    ['file://{/seg}', 'file:///a/b', false],
    ['x://{a}-{b}', 'x://1-2', true],
    ['x://{a}-{b}', 'x://1', false],
    ['x://{a}{b}', 'x://12', true],
    ['x://{a}{b}', 'x://1', false],
    ['x://q{?a,b}', 'x://q', true],
    ['x://q{?a,b}', 'x://q?b=2&a=1', true],
    ['x://q{?a}{&b}', 'x://q?a=1&b=2', true],
    ['x://a{.ext}', 'x://a.txt', true],
    ['x://a{.ext}', 'x://atxt', false],
    ['x://a{#frag}', 'x://a#b/c', true],
    ['x://plain', 'x://plain', true],
    ['x://plain', 'x://plain2', false],
    ['x://(.*)+$', 'x://anything', false],
    ['x://{x}\n', 'x://a\n', true],
  ])('%s on %s: %s', (template, uri, expected) => expect(matches(template, uri)).toBe(expected));

  it.each(['x://{', 'x://{}', 'x://{a', `x://${'{a}'.repeat(33)}`, `x://${'a'.repeat(1_024)}`])(
    'does not route %j',
    (template) => expect(templateMatcher(template)).toBeUndefined(),
  );

  it('matches whatever the SDK matches', () => {
    const pieces = ['{a}', '{+a}', '{#a}', '{.a}', '{/a}', '{/a*}', '{?a,b}', '{&c}', '{a*}', '/', 'x', '-', '.', '1'];
    const bits = ['a', 'b', '/', '.', '?a=1&b=2', '&c=3', '#f', '-', 'x', '1', ','];
    let seed = 11;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const some = (from: readonly string[], most: number) =>
      Array.from({ length: 1 + next(most) }, () => from[next(from.length)]).join('');
    let both = 0;
    for (let run = 0; run < 20_000; run++) {
      const [template, uri] = [`t://${some(pieces, 4)}`, `t://${some(bits, 5)}`];
      if (new UriTemplate(template).match(uri) === null) continue;
      both++;
      expect({ template, uri, ours: matches(template, uri) }).toEqual({ template, uri, ours: true });
    }
    expect(both).toBeGreaterThan(500);
  });

  it('takes no longer on a hostile pattern than its size', () => {
    const startedAt = performance.now();
    matches(`x://${'{+a}'.repeat(32)}!`, `x://${'a'.repeat(8_000)}`);
    matches(`x://${'{a}a'.repeat(32)}!`, `x://${'a'.repeat(8_000)}!`);
    matches(`x://${'{+a}'.repeat(15)}${'a'.repeat(900)}{b}`, `x://${'a'.repeat(8_000)}`);
    expect(matches('x://{a}', `x://${'a'.repeat(9_000)}`)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
