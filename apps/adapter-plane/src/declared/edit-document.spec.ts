import { describe, expect, it } from '@jest/globals';
import { Seeded } from '@portico/testkit';
import { withFields, withItem } from './edit-document.js';
import type { DeclaredFields } from './edit-document.js';

const FILE = `{
  "project": "SHOP",
  "owner": { "team":  "till" },
  "work_items": [
    {
      "key": "SHOP-1",
      "name": "The till is stuck",
      "state": "Todo",
      "priority":   "high" ,
      "labels": ["bug",  "till"],
      "description": "It says \\"no\\".\\nTwice, {[}]."
    },
    {
      "external_id": "portico-1",
      "estimate": 1.50,
      "state": "Todo"
    }
  ]
}
`;

/** The lines of two texts that differ, as pairs. */
function differences(before: string, after: string): [before: string, after: string][] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  expect(now).toHaveLength(old.length);
  return old.flatMap((line, index) => (line === now[index] ? [] : [[line, now[index]!]]));
}

/** The lines that a text has more than another, which is what is left without them. */
function added(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let at = 0;
  const more = now.filter((line) => (line === old[at] ? (at++, false) : true));
  expect(at).toBe(old.length);
  return more;
}

describe('[AD-11] withFields', () => {
  it('changes the line of a field, its comma included, and no other byte', () => {
    expect(differences(FILE, withFields(FILE, 'SHOP', { key: 'SHOP-1' }, { state: 'Done' })!)).toEqual([
      ['      "state": "Todo",', '      "state": "Done",'],
    ]);
  });

  it('changes a line for each of several fields, and keeps the blanks around them', () => {
    const fields = { priority: 'low', labels: ['a "b"', 'ü'], description: 'One\nTwo' };
    expect(differences(FILE, withFields(FILE, 'SHOP', { key: 'SHOP-1' }, fields)!)).toEqual([
      ['      "priority":   "high" ,', '      "priority":   "low" ,'],
      ['      "labels": ["bug",  "till"],', '      "labels": ["a \\"b\\"", "ü"],'],
      ['      "description": "It says \\"no\\".\\nTwice, {[}]."', '      "description": "One\\nTwo"'],
    ]);
  });

  it('leaves what is said already as it is written', () => {
    const same = { name: 'The till is stuck', labels: ['bug', 'till'], description: 'It says "no".\nTwice, {[}].' };
    expect(withFields(FILE, 'SHOP', { key: 'SHOP-1' }, same)).toBe(FILE);
  });

  it('adds a line for a field that is not there yet, and touches none of the others', () => {
    const edited = withFields(FILE, 'SHOP', { externalId: 'portico-1' }, { priority: 'low', name: 'New' })!;
    expect(added(FILE, edited)).toEqual(['      "name": "New",', '      "priority": "low",']);
    expect(JSON.parse(edited).work_items[1]).toEqual({
      external_id: 'portico-1',
      estimate: 1.5,
      state: 'Todo',
      name: 'New',
      priority: 'low',
    });
  });

  it('finds an item by its key or by its external id, and tells when there is none', () => {
    const either = { key: 'SHOP-7', externalId: 'portico-1' };
    expect(withFields(FILE, 'SHOP', either, { state: 'Done' })).toContain('"state": "Done"\n');
    expect(withFields(FILE, 'SHOP', { key: 'SHOP-7' }, { state: 'Done' })).toBeUndefined();
  });

  it('keeps the line ends of Windows', () => {
    const windows = FILE.replaceAll('\n', '\r\n');
    const edited = withFields(windows, 'SHOP', { externalId: 'portico-1' }, { state: 'Done', name: 'New' })!;
    expect(edited).not.toMatch(/[^\r]\n/);
    expect(added(windows, edited.replace('"state": "Done"', '"state": "Todo"'))).toEqual(['      "name": "New",\r']);
  });

  it.each([
    ['no JSON', '{ "work_items": [ ', /no JSON/],
    ['a list', '[]', /no object/],
    ['nothing', '', /no JSON/],
    ['another project', FILE.replace('SHOP"', 'OPS"'), /another project/],
    ['no list of items', '{ "project": "SHOP" }', /no list/],
    ['items that are none', '{ "work_items": [1] }', /no object/],
    ['an item twice', FILE.replace('"external_id": "portico-1"', '"key": "SHOP-1"'), /more than once/],
    ['a field twice', FILE.replace('"priority":', '"state":'), /"state" twice/],
    ['a key twice', FILE.replace('"name":', '"key":'), /"key" twice/],
    ['two fields on a line', FILE.replace('\n      "state": "Todo",', ' "state": "Todo",'), /one line of its own/],
    ['a value of two lines', FILE.replace('"state": "Todo",', '"state": [\n"Todo"],'), /one line of its own/],
    ['a field after a bracket', '{"work_items":[{"key":"SHOP-1","state":"Todo"}]}', /one line of its own/],
    ['too deep a nest', `{ "work_items": ${'['.repeat(100)}${']'.repeat(100)} }`, /no JSON/],
  ])('refuses a file with %s, and says that a person has to look', (_what, text, problem) => {
    const edit = () => withFields(text, 'SHOP', { key: 'SHOP-1' }, { state: 'Done' });
    expect(edit).toThrow(expect.objectContaining({ code: 'CONFLICT', executed: 'no' }));
    expect(edit).toThrow(problem);
  });
});

describe('[AD-11] withItem', () => {
  const item = { name: 'New', state: 'Todo', labels: [] };

  it('adds lines before those that are there, and touches none of them', () => {
    const edited = withItem(FILE, 'SHOP', { externalId: 'portico-2' }, item);
    const lines = `    {
      "external_id": "portico-2",
      "name": "New",
      "state": "Todo",
      "labels": []
    },
`;
    expect(edited).toBe(FILE.replace('"work_items": [\n', (begin) => begin + lines));
    expect(JSON.parse(edited).work_items[0]).toEqual({ external_id: 'portico-2', ...item });
  });

  it.each([
    ['on one line', '{\n  "project": "SHOP",\n  "work_items": []\n}\n'],
    ['with a blank', '{\n  "work_items": [ ],\n  "more": 1\n}\n'],
    ['over two lines', '{\n  "work_items": [\n  ]\n}\n'],
    ['at no indentation', '{\n"work_items": []\n}'],
    ['in a file of one line', '{"project":"SHOP","work_items":[]}'],
    ['with the line ends of Windows', '{\r\n  "work_items": []\r\n}\r\n'],
  ])('begins an empty list %s', (_how, empty) => {
    const edited = withItem(empty, 'SHOP', { key: 'SHOP-1' }, item);
    expect(JSON.parse(edited)).toEqual({ ...JSON.parse(empty), work_items: [{ key: 'SHOP-1', ...item }] });
    const again = withFields(edited, 'SHOP', { key: 'SHOP-1' }, { state: 'Done' });
    expect(JSON.parse(again!).work_items[0].state).toBe('Done');
    if (empty.includes('\r')) expect(edited).not.toMatch(/[^\r]\n/);
  });
});

describe('[AD-11] any edit of any file', () => {
  it('changes as many lines as fields, to what is asked, and nothing else', () => {
    const seeded = new Seeded(11);
    const word = () =>
      Array.from({ length: 1 + seeded.below(8) }, () => seeded.pick([...'ab"\\{}[],:\n\té💥 '])).join('');
    const value = (field: string) => (field === 'labels' ? [word(), word()] : word());
    for (let round = 0; round < 300; round++) {
      const names = ['name', 'state', 'priority', 'labels', 'description'] as const;
      const items = Array.from({ length: 1 + seeded.below(5) }, (_, index) => ({
        key: `SHOP-${index + 1}`,
        ...Object.fromEntries(names.filter(() => seeded.chance(0.7)).map((name) => [name, value(name)])),
        ...(seeded.chance(0.3) && { more: word() }),
      }));
      const text = oneFieldALine(items, seeded.pick(['  ', '\t', '    ']));
      const chosen = seeded.below(items.length);
      const fields: DeclaredFields = Object.fromEntries(
        names.filter(() => seeded.chance(0.5)).map((name) => [name, value(name)]),
      );
      const edited = withFields(text, 'SHOP', { key: `SHOP-${chosen + 1}` }, fields)!;
      const wanted = items.map((item, index) => (index === chosen ? { ...item, ...fields } : item));
      expect(JSON.parse(edited)).toEqual({ project: 'SHOP', work_items: wanted });
      const there = new Set(text.split('\n'));
      const other = edited.split('\n').filter((line) => !there.has(line));
      expect(other.length).toBeLessThanOrEqual(Object.keys(fields).length);
      expect(edited.split('\n').length - text.split('\n').length).toBeLessThanOrEqual(Object.keys(fields).length);
    }
  });
});

function oneFieldALine(items: readonly Record<string, unknown>[], tab: string): string {
  const listed = items.map((item) => {
    const lines = Object.entries(item).map(([name, value]) => `${tab}${tab}${tab}"${name}": ${JSON.stringify(value)}`);
    return `${tab}${tab}{\n${lines.join(',\n')}\n${tab}${tab}}`;
  });
  return `{\n${tab}"project": "SHOP",\n${tab}"work_items": [\n${listed.join(',\n')}\n${tab}]\n}\n`;
}
