import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CachePolicy, ToolPolicy } from '@portico/contracts';
import { knownSource } from '../../test/known-source.js';
import { NO_POLICY } from '../../test/no-policy.js';
import { type AuthMode, buildPolicy } from '../policy/build-policy.js';
import type { PolicyFile } from '../policy/policy-schema.js';
import { publishCatalogue } from '../published-catalogue.js';
import { canonicalJson } from './canonical-json.js';
import { isCacheable, questionOf } from './question.js';

const toolWith = (
  cache: CachePolicy,
  more: { schema?: Record<string, unknown>; perPrincipal?: boolean; name?: string } = {},
) => {
  const { schema = { type: 'object' }, perPrincipal = false, name = 'search' } = more;
  const source = knownSource('domain.docs', { effect: 'read', tools: [{ name, inputSchema: schema }] });
  source.catalogue.tools[0]!.policy = { effect: 'read', cache };
  source.catalogue.identity.perPrincipal = perPrincipal;
  const { tools } = publishCatalogue([source], { toolNames: 'dotted', policy: NO_POLICY, contextInSchemas: true });
  return tools[0]!;
};
const who = { tenant: 't', subject: 's' };
const defaults = { threshold: 0.95, ttlSeconds: 300 };
const ask = (args: Record<string, unknown>, cache: CachePolicy = {}, as = who, more = {}) =>
  questionOf(toolWith(cache, more), args, as, defaults);

describe('[SC-2] the canonical key', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['the order of keys', { a: 1, b: { d: 1, c: 2 } }, { b: { c: 2, d: 1 }, a: 1 }],
    ['1 and 1.0', JSON.parse('{"n":1}'), JSON.parse('{"n":1.0}')],
    ['1e2 and 100', JSON.parse('{"n":1e2}'), JSON.parse('{"n":100}')],
    ['0 and -0', { n: 0 }, { n: -0 }],
    ['NFC and NFD', { q: 'caf\u00e9' }, { q: 'cafe\u0301' }],
    ['NFC and NFD in a key', { 'caf\u00e9': 1 }, { 'cafe\u0301': 1 }],
    ['what is undefined', { a: 1 }, { a: 1, b: undefined }],
  ])('does not tell %s apart', (_name, one, other) => {
    expect(ask(one).keyHash).toBe(ask(other).keyHash);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['"1" and 1', { n: '1' }, { n: 1 }],
    ['null and absent', { n: null }, {}],
    ['the order of a list', { l: [1, 2] }, { l: [2, 1] }],
    ['what is nested', { a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }],
    ['upper and lower case', { q: 'A' }, { q: 'a' }],
    ['a text and its quoted self', { q: '{"a":1}' }, { q: { a: 1 } }],
    ['2^53 and its neighbour', { n: 9_007_199_254_740_992 }, { n: 9_007_199_254_740_990 }],
  ])('tells %s apart', (_name, one, other) => {
    expect(ask(one).keyHash).not.toBe(ask(other).keyHash);
  });

  it('is a SHA-256, of everything that it tells apart', () => {
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const { inputSchema } = toolWith({}).definition;
    const schema = sha256(canonicalJson([inputSchema, null]));
    const text = JSON.stringify([[['t'], 'docs.search', schema], { a: [1, 'é'] }]);
    expect(ask({ a: [1.0, 'e\u0301'] }).keyHash).toBe(sha256(text));
  });

  it('tells tools, their schemas and tenants apart', () => {
    const base = ask({ a: 1 }).keyHash;
    expect(ask({ a: 1 }, {}, who, { name: 'other' }).keyHash).not.toBe(base);
    expect(ask({ a: 1 }, {}, who, { schema: { type: 'object', properties: { a: {} } } }).keyHash).not.toBe(base);
    expect(ask({ a: 1 }, {}, { tenant: 't2', subject: 's' }).keyHash).not.toBe(base);
    expect(ask({ a: 1 }, {}, { tenant: 'ts', subject: '' }).keyHash).not.toBe(base);
  });

  it('is one for the subjects of a tenant, and of each subject where sessions are, or the policy says so', () => {
    const other = { tenant: 't', subject: 'other' };
    expect(ask({}, {}, other).keyHash).toBe(ask({}).keyHash);
    expect(ask({}, { perSubject: true }, other).keyHash).not.toBe(ask({}, { perSubject: true }).keyHash);
    expect(ask({}, {}, other, { perPrincipal: true }).keyHash).not.toBe(
      ask({}, {}, who, { perPrincipal: true }).keyHash,
    );
  });
});

describe('[SC-3] the structural key', () => {
  const free: CachePolicy = { freeText: ['q', 'context'] };

  it('leaves out what is free text, and that alone', () => {
    const base = ask({ q: 'one', limit: 5 }, free);
    const similar = ask({ q: 'another', limit: 5 }, free);
    expect(similar.similar?.structHash).toBe(base.similar?.structHash);
    expect(similar.keyHash).not.toBe(base.keyHash);
    expect(ask({ q: 'one', limit: 6 }, free).similar?.structHash).not.toBe(base.similar?.structHash);
    expect(ask({ q: 'one', context: 'x', limit: 5 }, free).similar?.structHash).not.toBe(base.similar?.structHash);
  });

  it('tells tenants, subjects, tools and schemas apart, as the canonical key does', () => {
    const structOf = (as = who, more = {}, cache = free) => ask({ q: 'one' }, cache, as, more).similar?.structHash;
    const base = structOf();
    const other = { tenant: 't', subject: 'other' };
    expect(base).toMatch(/^[0-9a-f]{64}$/);
    expect(structOf(other)).toBe(base);
    for (const apart of [
      structOf({ tenant: 't2', subject: 's' }),
      structOf(who, { name: 'other' }),
      structOf(who, { schema: { type: 'object', properties: { q: {} } } }),
      structOf(who, { perPrincipal: true }),
      structOf(other, { perPrincipal: true }),
      structOf(other, {}, { ...free, perSubject: true }),
    ])
      expect(apart).not.toBe(base);
    expect(structOf(other, { perPrincipal: true })).not.toBe(structOf(who, { perPrincipal: true }));
  });

  it('keeps the texts apart, in the order of the policy', () => {
    expect(ask({ context: 'b', q: 'a' }, free).similar?.texts).toEqual(['a', 'b']);
    expect(ask({ context: 'x' }, free).similar?.structHash).not.toBe(ask({ q: 'x' }, free).similar?.structHash);
  });

  it('is none where nothing is free text, or what should be is no text', () => {
    expect(ask({ q: 'one' }).similar).toBeUndefined();
    expect(ask({ q: ['one'] }, free).similar).toBeUndefined();
    expect(ask({ q: 7, context: 'x' }, free).similar?.texts).toEqual(['x']);
  });

  it('[SC-8][SC-16] has its bounds from the policy or the settings, 0 among them, and never from the caller', () => {
    expect(ask({ q: 'a' }, free).similar).toMatchObject({
      threshold: 0.95,
      candidates: 0.85,
      verify: 'verifier',
      guards: 'on',
    });
    const rules = { ...free, threshold: 0, candidates: 0, verify: 'cosine', guards: 'off' } as const;
    expect(ask({ q: 'a', threshold: 0.1 }, rules).similar).toMatchObject({
      threshold: 0,
      candidates: 0,
      verify: 'cosine',
      guards: 'off',
    });
  });
});

describe('[SC-5] what may be cached', () => {
  it.each<[boolean, Parameters<typeof isCacheable>[0]['policy']]>([
    [true, { effect: 'read', cache: {} }],
    [false, { effect: 'read' }],
    [false, { effect: 'write', cache: {} }],
    [false, { effect: 'destructive', cache: {} }],
    [false, { effect: 'read', cache: { store: false } }],
  ])('%s: %j', (may, policy) => {
    expect(isCacheable({ policy })).toBe(may);
  });

  const hinted = { name: 'look', annotations: { readOnlyHint: true, idempotentHint: true } };
  const publishedBy = (
    address: 'upstream.notes' | 'domain.notes',
    declared: ToolPolicy,
    file: PolicyFile,
    mode: AuthMode,
  ) => {
    const source = knownSource(address, { tools: [hinted] });
    source.catalogue.tools[0]!.policy = declared;
    const { policy } = buildPolicy(file, mode);
    return publishCatalogue([source], { toolNames: 'dotted', policy, contextInSchemas: true }).tools[0]!;
  };

  it('is never what a server’s hints say, only what an operator does', () => {
    const rule = { match: 'notes.look', effect: 'read', cache: {} } as const;
    expect(isCacheable(publishedBy('upstream.notes', { effect: 'write' }, {}, 'none'))).toBe(false);
    expect(isCacheable(publishedBy('upstream.notes', { effect: 'write' }, { tools: [rule] }, 'none'))).toBe(true);
  });

  it.each<[string, 'upstream.notes' | 'domain.notes', AuthMode, boolean]>([
    ['for the one tenant that there is', 'upstream.notes', 'none', true],
    ['not among tenants, who all write to one server', 'upstream.notes', 'api-key', false],
    ['not among tenants, who all write to one server', 'upstream.notes', 'jwt', false],
    ['where a domain says so, which knows tenants', 'domain.notes', 'jwt', true],
  ])('[SC-10][SS-9] is what ships with a server %s: %s, %s', (_why, address, mode, expected) => {
    const declared: ToolPolicy = { effect: 'read', staleness: 'cached', cache: {} };
    const { policy, definition } = publishedBy(address, declared, {}, mode);
    expect([isCacheable({ policy }), policy.staleness, policy.effect]).toEqual([
      expected,
      expected ? 'cached' : undefined,
      'read',
    ]);
    expect(String(definition['description']).includes('immutable')).toBe(expected);
    // An operator knows better.
    const rule = { match: 'notes.*', staleness: 'cached', cache: {} } as const;
    const opted = publishedBy(address, declared, { tools: [rule] }, mode);
    expect([isCacheable(opted), opted.policy.staleness]).toEqual([true, 'cached']);
    // That something changes behind it is true for whoever asks.
    expect(publishedBy(address, { ...declared, staleness: 'stale' }, {}, mode).policy.staleness).toBe('stale');
  });
});
