import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CONTEXT_ARGUMENT, TASK_ARGUMENT, claims, withArguments } from './context-schemas.js';

type Schema = Record<string, unknown>;

const text = { type: 'string' };
/** Schemas that open to our arguments, each with arguments that the tool takes and some that it does not. */
const SCHEMAS: [name: string, schema: Schema, good: Schema, bad: Schema][] = [
  ['an open one', { type: 'object', properties: { a: text }, required: ['a'] }, { a: 'x', more: 1 }, { a: 1 }],
  ['no properties at all', { type: 'object' }, { any: 1 }, [] as unknown as Schema],
  [
    'additional properties forbidden',
    { type: 'object', properties: { a: text }, additionalProperties: false },
    { a: 'x' },
    { b: 1 },
  ],
  [
    'additional properties of a kind',
    { type: 'object', additionalProperties: { type: 'number' } },
    { n: 1 },
    { n: 'x' },
  ],
  [
    'unevaluatedProperties',
    { type: 'object', properties: { a: text }, unevaluatedProperties: false },
    { a: 'x' },
    { a: 'x', b: 1 },
  ],
  [
    '$ref into $defs, closed there',
    {
      type: 'object',
      $ref: '#/$defs/args',
      $defs: { args: { properties: { a: text }, required: ['a'], additionalProperties: false } },
    },
    { a: 'x' },
    { a: 'x', b: 1 },
  ],
  [
    'allOf with a closed branch',
    { type: 'object', allOf: [{ required: ['a'] }, { properties: { a: text }, additionalProperties: false }] },
    { a: 'x' },
    { a: 'x', b: 1 },
  ],
  [
    'allOf under unevaluatedProperties',
    {
      type: 'object',
      allOf: [{ properties: { a: text } }, { $ref: '#/$defs/b' }],
      unevaluatedProperties: false,
      $defs: { b: { properties: { b: text } } },
    },
    { a: 'x', b: 'y' },
    { c: 1 },
  ],
  [
    'oneOf of closed branches',
    {
      type: 'object',
      oneOf: [
        { properties: { a: text }, required: ['a'], additionalProperties: false },
        { properties: { b: text }, required: ['b'], additionalProperties: false },
      ],
    },
    { b: 'x' },
    { a: 'x', b: 'y' },
  ],
  [
    'if, then and else, closed',
    {
      type: 'object',
      if: { properties: { k: { const: 1 } }, required: ['k'], additionalProperties: false },
      then: { properties: { k: true }, additionalProperties: false },
      else: { required: ['z'] },
    },
    { k: 1 },
    { k: 2 },
  ],
  [
    'a name with / in a pointer',
    {
      type: 'object',
      $ref: '#/$defs/a~1b',
      $defs: { 'a/b': { properties: { a: text }, additionalProperties: false } },
    },
    { a: 'x' },
    { c: 1 },
  ],
  [
    'a reference to itself',
    { type: 'object', properties: { child: { $ref: '#' }, a: text }, additionalProperties: false },
    { child: { a: 'x' } },
    { child: { b: 1 } },
  ],
  [
    'a pattern that is not ours',
    { type: 'object', patternProperties: { '^x-': text }, additionalProperties: false },
    { 'x-a': 'b' },
    { y: 1 },
  ],
];
const ours = { [CONTEXT_ARGUMENT]: { correlation_id: 'c-1' }, [TASK_ARGUMENT]: { lease_id: 'l-1' } };
const accepts = (schema: Schema, args: Schema): boolean => new Ajv2020({ strict: false }).compile(schema)(args);

/** The schema without what we added: ours by name, wherever they stand. */
const without = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(without);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === CONTEXT_ARGUMENT || key === TASK_ARGUMENT) return [];
    if (key === 'required') {
      const left = (value as string[]).filter((name) => name !== TASK_ARGUMENT);
      return left.length === 0 ? [] : [[key, left]];
    }
    const rest = without(value);
    return key === 'properties' && Object.keys(rest as Schema).length === 0 ? [] : [[key, rest]];
  });
  return Object.fromEntries(entries);
};

describe('[FD-17] the schemas that are shown', () => {
  describe.each(SCHEMAS)('%s', (_name, schema, good, bad) => {
    const before = JSON.stringify(schema);
    const shown = withArguments(schema, [CONTEXT_ARGUMENT], [TASK_ARGUMENT]);

    it('take our arguments beside what the tool takes, and nothing else', () => {
      expect(accepts(schema, good)).toBe(true);
      expect(accepts(schema, bad)).toBe(false);
      expect(accepts(shown, { ...good, ...ours })).toBe(true);
      expect(accepts(shown, { ...good, [TASK_ARGUMENT]: ours[TASK_ARGUMENT] })).toBe(true);
      if (!Array.isArray(bad)) expect(accepts(shown, { ...bad, ...ours })).toBe(false);
    });

    it('ask for the lease where one is needed, and never for the context', () => {
      // Of one that is a part of itself, what is required of the whole would be required of the parts.
      expect(accepts(shown, good)).toBe(JSON.stringify(schema).includes('"$ref":"#"'));
      expect(accepts(withArguments(schema, [CONTEXT_ARGUMENT], []), good)).toBe(true);
      expect(accepts(shown, { ...good, [TASK_ARGUMENT]: {} })).toBe(false);
    });

    it('are the original once ours is taken away, and leave it as it was', () => {
      expect(without(shown)).toEqual(schema);
      expect(JSON.stringify(schema)).toBe(before);
      expect(withArguments(schema, [], [])).toBe(schema);
    });
  });

  it.each<[string, Schema]>([
    ['a property of that name', { properties: { [CONTEXT_ARGUMENT]: text } }],
    ['one in a branch', { allOf: [{ properties: { [CONTEXT_ARGUMENT]: text } }] }],
    ['one behind a reference', { $ref: '#/$defs/a', $defs: { a: { properties: { [CONTEXT_ARGUMENT]: text } } } }],
    ['one that is required', { required: [CONTEXT_ARGUMENT] }],
    ['a pattern that matches it', { patternProperties: { '^_': text } }],
    ['a pattern that could take long', { patternProperties: { '^(_?)*$': text } }],
    ['a pattern that is none', { patternProperties: { '[': text } }],
    ['names of a kind alone', { propertyNames: { pattern: '^[a-z]+$' } }],
    ['so many properties at most', { maxProperties: 1 }],
    ['a reference by an anchor', { $ref: '#base', $defs: { base: { $anchor: 'base', additionalProperties: false } } }],
    ['a reference to elsewhere', { allOf: [{ $ref: 'https://example.com/schema' }] }],
    [
      'one behind a percent-encoded reference',
      { $ref: '#/$defs/a%20b', $defs: { 'a b': { properties: { [CONTEXT_ARGUMENT]: text } } } },
    ],
    ['branches without end', { allOf: Array.from({ length: 1_000 }, (_none, index) => ({ title: String(index) })) }],
  ])('are left as they are where the tool has a say on the name: %s', (_name, schema) => {
    expect(claims(schema, CONTEXT_ARGUMENT)).toBe(true);
  });

  it.each(SCHEMAS)('are not left so otherwise: %s', (_name, schema) => {
    expect(claims(schema, CONTEXT_ARGUMENT)).toBe(false);
    expect(claims(schema, TASK_ARGUMENT)).toBe(false);
  });
});
