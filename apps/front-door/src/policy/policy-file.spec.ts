import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { PolicyFileError, parsePolicyFile, readPolicyFile } from './policy-file.js';

const parse = (text: string) => parsePolicyFile('/at/policy.yaml', text);
const refusal = (text: string): string => {
  try {
    parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyFileError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
};
const MIB = 1_048_576;

describe('[SS-2] a policy file', () => {
  it('has tools, access and profiles, every field of the surface among them', () => {
    expect(
      parse(`
tools:                             # first match wins
  - match: "billing.get_*"
    effect: read
    staleness: cached
    cache: { freeText: [query], ttlSeconds: 300, candidates: 0.85, threshold: 0.95, verify: verifier, guards: on, perSubject: false, store: true, volatile: ["$.age"] }
  - match: "billing.refund"
    effect: destructive
    invalidates: ["billing.get_*"]
    lease: { resource: "billing:{account}" }
    decorate: true
access:
  - { subjects: ["ci-*"], tenants: ["*"], scopes: [], allow: ["cluster.*"], deny: ["*.delete_*"] }
profiles:
  operations@1: ["cluster.pods_list", "dagger.list_runs"]
`),
    ).toEqual({
      tools: [
        {
          match: 'billing.get_*',
          effect: 'read',
          staleness: 'cached',
          cache: {
            freeText: ['query'],
            ttlSeconds: 300,
            candidates: 0.85,
            threshold: 0.95,
            verify: 'verifier',
            guards: 'on',
            perSubject: false,
            store: true,
            volatile: ['$.age'],
          },
        },
        {
          match: 'billing.refund',
          effect: 'destructive',
          invalidates: ['billing.get_*'],
          lease: { resource: 'billing:{account}' },
          decorate: true,
        },
      ],
      access: [{ subjects: ['ci-*'], tenants: ['*'], scopes: [], allow: ['cluster.*'], deny: ['*.delete_*'] }],
      profiles: { 'operations@1': ['cluster.pods_list', 'dagger.list_runs'] },
    });
  });

  it('is JSON as well, with tabs too, and keeps zeros', () => {
    const policy = { tools: [{ match: '*', cache: { ttlSeconds: 0, threshold: 0 } }], access: [], profiles: {} };
    for (const text of [
      JSON.stringify(policy),
      JSON.stringify(policy, null, '\t'),
      `\r\n${JSON.stringify(policy)}\r\n`,
    ])
      expect(parse(text)).toEqual(policy);
    expect(parse('{}')).toEqual({});
  });

  it('is YAML 1.2: on and off are words, and yes is no flag', () => {
    const guards = 'tools: [{ match: "*", cache: { guards: off } }]';
    expect(parse(guards)).toEqual(parse(`%YAML 1.1\n---\n${guards}`));
    expect(refusal('tools: [{ match: "*", decorate: yes }]')).toContain('it is "yes", but it takes true or false');
  });

  it.each([
    ['tools: 5', ', tools: it is 5, but it takes a list'],
    ['tools:', ', tools: it is null, but it takes a list'],
    ['- tools', ': it is a list of 1, but it takes a map'],
    ['tools', ': it is "tools", but it takes a map'],
    ['tool: []', ', tool: this is not known here, but tools, access, profiles are'],
    ['tools: [{ effect: read }]', ', tools[0].match: it is missing, but it takes a text'],
    [
      'tools: [{ match: "*" }, { match: "*", efect: read }]',
      ', tools[1].efect: this is not known here, but match, effect, staleness, cache, invalidates, lease, decorate are',
    ],
    [
      'tools: [{ match: "*" }, { match: a.b }, { match: a.c }, { match: a.d, effect: wipe }]',
      ', tools[3].effect: it is "wipe", but it takes one of read, write, destructive',
    ],
    [
      'tools: [{ match: billing }]',
      ', tools[0].match: it is "billing", but it takes a pattern over <domain>.<tool> such as "billing.get_*", the domain in lower case, at most 256 characters',
    ],
    [
      'tools: [{ match: "*", staleness: fresh }]',
      ', tools[0].staleness: it is "fresh", but it takes one of cached, stale',
    ],
    [
      'tools: [{ match: "*", cache: { threshold: 1.5 } }]',
      ', tools[0].cache.threshold: it is 1.5, but it takes at most 1',
    ],
    [
      'tools: [{ match: "*", cache: { ttlSeconds: -1 } }]',
      ', tools[0].cache.ttlSeconds: it is -1, but it takes at least 0',
    ],
    [
      'tools: [{ match: "*", cache: { ttlSeconds: .inf } }]',
      ', tools[0].cache.ttlSeconds: it is Infinity, but it takes a number',
    ],
    [
      'tools: [{ match: "*", cache: { ttlSeconds: .nan } }]',
      ', tools[0].cache.ttlSeconds: it is NaN, but it takes a number',
    ],
    [
      'tools: [{ match: "*", cache: { guards: true } }]',
      ', tools[0].cache.guards: it is true, but it takes one of on, off',
    ],
    ['tools: [{ match: "*", cache: on }]', ', tools[0].cache: it is "on", but it takes a map'],
    [
      'tools: [{ match: "*", cache: { ttl: 3 } }]',
      ', tools[0].cache.ttl: this is not known here, but freeText, ttlSeconds, candidates, threshold, verify, guards, perSubject, store, volatile are',
    ],
    [
      'tools: [{ match: "*", cache: { freeText: query } }]',
      ', tools[0].cache.freeText: it is "query", but it takes a list',
    ],
    [
      'tools: [{ match: "*", lease: { resource: "a", ttl: 1 } }]',
      ', tools[0].lease.ttl: this is not known here, but resource are',
    ],
    ['tools: [{ match: "*", lease: {} }]', ', tools[0].lease.resource: it is missing, but it takes a text'],
    ['tools: [{ match: "*", invalidates: [5] }]', ', tools[0].invalidates[0]: it is 5, but it takes a text'],
    ['access: [{ allow: ["cluster"] }]', ', access[0].allow[0]: it is "cluster", but it takes a pattern over'],
    ['access: [{ subjects: "ci-*", allow: ["*"] }]', ', access[0].subjects: it is "ci-*", but it takes a list'],
    [
      'access: [{ subjects: [""], allow: ["*"] }]',
      ', access[0].subjects[0]: it is "", but it takes a name, in which * stands',
    ],
    [
      'access: [{ scopes: ["*"], allow: ["*"] }]',
      ', access[0].scopes[0]: it is "*", but it takes the name of a scope without *',
    ],
    ['access: [{ subjects: ["a"] }]', ', access[0]: it is a map, but it takes a rule with allow, deny or both'],
    [
      'access: [{ subject: ["a"], deny: ["*"] }]',
      ', access[0].subject: this is not known here, but subjects, tenants, scopes, allow, deny are',
    ],
    ['profiles: { ops: [] }', ', profiles.ops: this is no name of a profile, it takes a name and a version'],
    [
      'profiles: { "a@1": ["files.*"] }',
      ', profiles["a@1"][0]: it is "files.*", but it takes the full name <domain>.<tool> of a tool, without *',
    ],
    ['profiles: { "a@1": ["read"] }', ', profiles["a@1"][0]: it is "read", but it takes the full name'],
    ['profiles: [a@1]', ', profiles: it is a list of 1, but it takes a map'],
  ])('refuses %s', (text, sentence) => {
    const said = refusal(text);
    expect(said.slice('POLICY_FILE policy.yaml'.length)).toContain(sentence);
    expect(said).toMatch(/^POLICY_FILE policy\.yaml[:,].*[^.]\.$/);
    expect(said.length).toBeLessThan(500);
  });

  it.each(['{account', 'account}', '{}', '{{a}}', '', 'a\nb', 'x'.repeat(257)])(
    'refuses the leased resource %j',
    (resource) => {
      expect(refusal(JSON.stringify({ tools: [{ match: '*', lease: { resource } }] }))).toContain(
        ', tools[0].lease.resource: it is ',
      );
    },
  );

  it.each(['a.b,c.d', 'a. b', 'a'])('refuses to announce %j', (pattern) => {
    expect(refusal(JSON.stringify({ tools: [{ match: '*', invalidates: [pattern] }] }))).toContain(
      ', tools[0].invalidates[0]: it is ',
    );
  });
});

describe('a hostile policy file', () => {
  it.each([
    ['nothing', ''],
    ['blanks', ' \n\n  '],
    ['a comment', '# access: none\n'],
  ])('of %s is refused as empty', (_what, text) => {
    expect(refusal(text)).toBe('POLICY_FILE policy.yaml is empty, but it takes YAML with tools, access and profiles.');
  });

  it.each([
    ['a list that does not end', 'tools: [', /is not YAML \([A-Z_]+\) in line 1,/],
    ['bad indentation', 'tools:\n  - match: a.b\n effect: read', /is not YAML \([A-Z_]+\) in line \d,/],
    ['a second document', '{}\n---\n{}', /has a second document in line \d/],
    ['an unknown tag', 'tools: !!js/function x', /is not YAML \(TAG_RESOLVE_FAILED\) in line 1/],
    ['an unknown tag of its own', 'tools: !secret x', /is not YAML \(TAG_RESOLVE_FAILED\)/],
    ['an alias', 'tools: &t []\naccess: *t', /has an anchor \(&t\), which it does not take, in line 1/],
    ['an alias of nothing', 'access: *t', /is not YAML|has an alias/],
    ['a key twice', 'access: []\ntools: []\naccess: []', /has the key "access" twice in line 3/],
    ['a key twice in JSON', '{"access":[],"tools":[],"acc\\u0065ss":[]}', /has the key "access" twice in line 1/],
    ['a key twice in a rule', 'access: [{ deny: ["a.*"], deny: [] }]', /has the key "deny" twice/],
    ['a number as key', '{1: 2}', /has a key that is not a text/],
    ['a map as key', '? {a: 1}\n: 2', /has a key that is not a text/],
    ['a key that is null', '? \n: 2', /has a key that is not a text/],
    ['__proto__', '{"__proto__": {"tools": []}}', /has the key "__proto__"/],
    ['__proto__ among profiles', 'profiles: { __proto__: ["a.b"] }', /has the key "__proto__"/],
    ['constructor', '{"constructor": {}}', /, constructor: this is not known here/],
    ['a merge key', 'tools: [{ <<: { match: "*" } }]', /tools\[0\]/],
    ['binary', 'tools: !!binary aGVsbG8=', /is not YAML/],
    ['control characters', 'tools: [{ match: "a.\\0" }]', /tools\[0\]\.match: it is "a\.\\u0000"/],
    ['a huge key', `${'k'.repeat(1_000)}: 1`, /\["k{59}…\]: this is not known here/],
    ['an enormous key', `${'k'.repeat(100_000)}: 1`, /is not YAML \(KEY_OVER_1024_CHARS\) in line 1/],
    ['a huge value', `tools: ${'v'.repeat(100_000)}`, /tools: it is "v{59}…, but/],
    ['a huge tag', '!'.repeat(100_000), /is not YAML/],
  ])('with %s is refused in one short sentence', (_what, text, sentence) => {
    const said = refusal(text);
    expect(said).toMatch(sentence);
    expect(said.length).toBeLessThan(500);
    expect(said).not.toContain('\n');
  });

  const deep = (open: string, close = '') =>
    open.repeat(MIB / open.length / (close === '' ? 1 : 2)) + close.repeat(close === '' ? 0 : MIB / 2);
  it.each<[string, () => string]>([
    ['aliases', () => `a: &a x\nb: [${'*a,'.repeat(MIB / 3 - 10)}]`],
    ['anchors', () => '- &a a\n'.repeat(MIB / 7)],
    [
      'laughs',
      () => Array.from({ length: 60 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : 9)}]`).join('\n'),
    ],
    ['open lists', () => deep('[')],
    ['lists in lists', () => deep('[', ']')],
    ['open maps', () => deep('{')],
    ['maps in maps', () => deep('{a:')],
    ['dashes', () => deep('- ')],
    ['question marks', () => deep('? ')],
    ['colons', () => deep(': ')],
    ['steps', () => Array.from({ length: 1_400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['keys', () => Array.from({ length: MIB / 8 }, (_, i) => `k${i.toString(36)}:`).join('\n')],
    ['commas', () => `[${','.repeat(MIB - 2)}]`],
    ['quotes', () => '"'.repeat(MIB)],
    ['tags', () => '!t '.repeat(MIB / 3)],
    ['documents', () => '---\n'.repeat(MIB / 4)],
    ['directives', () => '%Y\n'.repeat(MIB / 3)],
    ['comments', () => '#\n'.repeat(MIB / 2)],
    ['lines', () => '\n'.repeat(MIB)],
  ])('of 1 MiB of %s is refused soon, and ends nothing', (_what, text) => {
    const startedAt = performance.now();
    expect(refusal(text()).length).toBeLessThan(500);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it.each<[string, string]>([
    ['open lists', '['.repeat(150_000)],
    ['lists in lists', '['.repeat(75_000) + ']'.repeat(75_000)],
    ['open maps', '{a:'.repeat(40_000)],
    ['maps in maps', '{"a":'.repeat(21) + '1' + '}'.repeat(21)],
    ['dashes', '- '.repeat(90_000)],
    ['keys that are lists', '? - '.repeat(20_000)],
  ])('nested by %s is refused before anything is made of it', (_what, text) => {
    expect(refusal(text)).toBe(
      'POLICY_FILE policy.yaml is nested more than 20 deep, but it takes YAML with tools, access and profiles.',
    );
  });

  it('nested less is told what is wrong where', () => {
    expect(refusal(`tools: ${'['.repeat(15)}${']'.repeat(15)}`)).toContain(
      'tools[0]: it is a list of 1, but it takes a map',
    );
  });

  it('with more rules, items or profiles than anybody writes is refused', () => {
    const many = <T>(item: (index: number) => T) => Array.from({ length: 1_001 }, (_, index) => item(index));
    const said = (value: unknown) => refusal(JSON.stringify(value));
    expect(said({ tools: many(() => ({ match: '*' })) })).toContain(
      'tools: it is a list of 1001, but it takes at most 1000 items',
    );
    expect(said({ access: [{ deny: many((index) => `a.${index}`) }] })).toContain(
      'access[0].deny: it is a list of 1001',
    );
    const profiles = Object.fromEntries(many((index) => [`p@${index}`, []]));
    expect(said({ profiles })).toContain('profiles: it is a map, but it takes at most 1000 profiles');
  });
});

describe('the file itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-policy-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const at = (name: string, content?: string | Buffer): string => {
    const path = join(folder, name);
    if (content !== undefined) writeFileSync(path, content);
    return path;
  };

  it('is read without the mark that Windows puts before it, and through a link', () => {
    const path = at('policy.yaml', '\uFEFFtools: []');
    expect(readPolicyFile(path)).toBe('tools: []');
    symlinkSync(path, at('link.yaml'));
    expect(readPolicyFile(at('link.yaml'))).toBe('tools: []');
    expect(readPolicyFile(at('most.yaml', 'x'.repeat(MIB)))).toHaveLength(MIB);
  });

  it('is never a folder, a device or a pipe', () => {
    mkdirSync(at('folder.yaml'));
    execFileSync('mkfifo', [at('pipe.yaml')]);
    symlinkSync('/dev/zero', at('zero.yaml'));
    for (const name of ['folder.yaml', 'pipe.yaml', 'zero.yaml'])
      expect(() => readPolicyFile(at(name))).toThrow(`POLICY_FILE ${name} is not a regular file.`);
  });

  it('has a bounded size, is UTF-8, and is there', () => {
    expect(() => readPolicyFile(at('large.yaml', 'x'.repeat(MIB + 1)))).toThrow(
      'POLICY_FILE large.yaml has 1048577 bytes, but it takes at most 1048576.',
    );
    expect(() => readPolicyFile(at('latin.yaml', Buffer.from('tools: [é]', 'latin1')))).toThrow(
      'latin.yaml is not UTF-8 text.',
    );
    expect(() => readPolicyFile(at('absent.yaml'))).toThrow('POLICY_FILE absent.yaml can not be read (ENOENT).');
    // The name, never the folders: the sentence reaches logs.
    expect(() => readPolicyFile(at('absent.yaml'))).not.toThrow(folder);
  });
});
