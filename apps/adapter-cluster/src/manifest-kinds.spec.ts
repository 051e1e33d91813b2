import { describe, expect, it } from '@jest/globals';
import { UnreadableManifest, manifestKinds, valueKinds } from './manifest-kinds.js';

describe('[AD-6] manifestKinds', () => {
  it.each([
    ['one document', 'apiVersion: v1\nkind: Secret\nmetadata: {name: x}', ['Secret']],
    ['JSON', '{"apiVersion":"v1","kind":"Secret"}', ['Secret']],
    ['an escape in quotes', 'kind: "\\x53ecret"', ['Secret']],
    ['a JSON escape', '{"\\u006bind":"\\u0053ecret"}', ['Secret']],
    ['an explicit key', '? kind\n: Secret', ['Secret']],
    ['a folded value', 'kind: >-\n  Secret\n', ['Secret']],
    ['a tab after the colon', 'kind:\tSecret', ['Secret']],
    ['Windows line ends', 'a: 1\r\n---\r\nkind: Secret\r\n', ['Secret']],
    ['a later document', 'kind: Pod\n---\n# nothing here\n---\nkind: Secret', ['Pod', 'Secret']],
    ['a document that begins on its marker', 'kind: Pod\n--- {kind: Secret}', ['Pod', 'Secret']],
    ['a document after an end marker', 'kind: Pod\n...\nkind: Secret', ['Pod', 'Secret']],
    ['a List', 'kind: List\nitems:\n- kind: Pod\n- kind: Secret', ['List', 'Pod', 'Secret']],
    ['a List in a List', 'kind: List\nitems: [{kind: List, items: [{kind: Secret}]}]', ['List', 'List', 'Secret']],
    ['keys in another case', '{"KIND":"List","Items":[{"Kind":"Secret"}]}', ['List', 'Secret']],
    ['two spellings of the key', 'kind: ConfigMap\nKind: Secret', ['ConfigMap', 'Secret']],
    [
      'a template of whole objects',
      'kind: Template\nobjects:\n- kind: Secret\n  metadata: {name: x}',
      ['Template', 'Secret'],
    ],
    ['an array of documents', '[{"kind":"Pod"},{"kind":"Secret"}]', ['Pod', 'Secret']],
  ])('finds the kinds of %s', (_what, text, kinds) => {
    expect(manifestKinds(text)).toEqual(kinds);
  });

  it('leaves mere references alone', () => {
    const text = 'kind: ExternalSecret\nspec:\n  target: {kind: Secret, name: x}\n  text: "kind: Secret"';
    expect(manifestKinds(text)).toEqual(['ExternalSecret']);
  });

  it.each([
    ['an anchor', 'kind: &k Secret'],
    ['an alias', 'a: &k Secret\nkind: *k'],
    ['a merge key', 'a: {b: c}\n<<: {kind: Secret}'],
    ['a merged alias', 'x: &x {kind: Secret}\n<<: *x'],
    ['a binary tag', 'kind: !!binary U2VjcmV0'],
    ['a string tag', 'kind: !!str Secret'],
    ['a tag of its own', 'kind: !s Secret'],
    ['a directive', '%YAML 1.1\n---\nkind: Secret'],
    ['a tab as indent', 'a:\n\tkind: Secret'],
    ['a key twice', 'kind: ConfigMap\nkind: Secret'],
    ['a key that is a list', '? [a]\n: b'],
    ['an open quote', 'kind: "Secret'],
    ['a document marker in quotes', 'a: "x\n---\nkind: Secret"'],
    ['an open bracket', '{"kind": "Secret"'],
    ['a lone carriage return', 'a: b # c\rkind: Secret'],
    ['a next-line character', 'a: b # c\u0085kind: Secret'],
    ['a line separator', 'a: b # c\u2028kind: Secret'],
    ['a byte order mark', '\ufeffkind: Secret'],
    ['a NUL', 'kind: Sec\0ret'],
    ['an anchored map', 'a: &x {b: c}'],
    ['a tagged map', 'a: !!map {b: c}'],
    ['an anchored list', 'a: &x [b]'],
    ['a nesting without end', '['.repeat(50_000)],
    ['a text without end', '#'.repeat(300_000)],
  ])('refuses %s', (_what, text) => {
    expect(() => manifestKinds(text)).toThrow(UnreadableManifest);
  });

  // A parser that takes the square of the length for one of these takes minutes.
  it.each([
    Array.from({ length: 12_000 }, (_, index) => `k${index}: 1`).join('\n'),
    'a: '.repeat(43_000),
    '- '.repeat(65_000),
    '\n'.repeat(131_000),
    '{a: '.repeat(32_000),
    '[,'.repeat(65_000),
    '---\n'.repeat(32_000),
    '!a '.repeat(43_000),
    '&a '.repeat(43_000),
    '*a '.repeat(43_000),
    '}'.repeat(131_000),
    '" "'.repeat(43_000),
    '"a" "b"\n'.repeat(16_000),
    `{${'a,'.repeat(65_000)}}`,
    `${'['.repeat(90)}${'1,'.repeat(65_000)}`,
  ])('reads hostile text number %# in bounded time', (text) => {
    // Of the processor: what else the machine is busy with does not count.
    const started = process.cpuUsage();
    try {
      manifestKinds(text);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableManifest);
    }
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
  });

  it('reads a value that is JSON already', () => {
    expect(valueKinds({ kind: 'List', items: [{ kind: 'Secret' }] })).toEqual(['List', 'Secret']);
  });
});
