import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Documents, Json } from '@portico/storage';

export interface DocumentsUnderTest {
  /** Opens the same documents once more, as another service or a later start would. */
  open(): Promise<Documents>;
  close(): Promise<void>;
}

/** Names that a file system or a database may take for one another, or not at all. */
const AWKWARD = [
  'plain',
  'Plain',
  'PLAIN',
  '..',
  '.',
  '.hidden',
  '../../escape',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'a%2fb',
  'a b ',
  'nul',
  'con.json',
  "it's",
  '*',
  'é',
  'e\u0301',
  '日本語',
  '\ud83d\ude00',
  '\uffee',
  '\n',
  '__proto__',
  'constructor',
  'x'.repeat(512),
  `${'x'.repeat(511)}y`,
  '/'.repeat(512),
];

/** What JSON can hold and a store may lose. */
const VALUES: Json[] = [
  null,
  false,
  0,
  '',
  [],
  {},
  'nul \u0000 and half \ud800 of a pair',
  1.7976931348623157e308,
  5e-324,
  9007199254740991,
  { b: 1, a: 2, 10: 3, aa: 4 },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Json,
  [[[[[[{ deep: ['\u2028', '😀', 'e\u0301'] }]]]]]],
  { text: 'x'.repeat(1_000_000) },
];

/** The suite that every store of documents passes. */
export function describeDocuments(name: string, start: () => Promise<DocumentsUnderTest>): void {
  describe(`documents: ${name}`, () => {
    let store: DocumentsUnderTest;
    let documents: Documents;
    let collections = 0;
    const fresh = (): string => `collection ${(collections += 1)}`;
    const reopened = async <T>(use: (again: Documents) => Promise<T>): Promise<T> => {
      const again = await store.open();
      return use(again).finally(() => again.close());
    };

    beforeAll(async () => {
      store = await start();
      documents = await store.open();
    }, 120_000);
    afterAll(async () => {
      await documents?.close();
      await store?.close();
    });

    it('has nothing at first', async () => {
      const collection = fresh();
      expect(await documents.get(collection, 'absent')).toBeUndefined();
      expect(await documents.delete(collection, 'absent')).toBe(false);
      expect(await documents.list(collection)).toEqual([]);
    });

    it('keeps, replaces and forgets', async () => {
      const collection = fresh();
      await documents.put(collection, 'one', { n: 1 });
      await documents.put(collection, 'one', { n: 2 });
      expect(await documents.get(collection, 'one')).toEqual({ n: 2 });
      expect(await documents.delete(collection, 'one')).toBe(true);
      expect(await documents.delete(collection, 'one')).toBe(false);
      expect(await documents.get(collection, 'one')).toBeUndefined();
      expect(await documents.list(collection)).toEqual([]);
    });

    it('[UP-1] has after a restart what it had before', async () => {
      const collection = fresh();
      await documents.put(collection, 'kept', { n: 1 });
      expect(await reopened((again) => again.get(collection, 'kept'))).toEqual({ n: 1 });
    });

    it.each(VALUES.map((value) => [JSON.stringify(value).slice(0, 60), value]))(
      'gives back %s as it was',
      async (_shown, value) => {
        const collection = fresh();
        await documents.put(collection, 'value', value as Json);
        const back = await documents.get(collection, 'value');
        expect(JSON.stringify(back)).toBe(JSON.stringify(value));
        expect(back).toEqual(value);
        expect(await documents.list(collection)).toEqual([{ id: 'value', value }]);
      },
    );

    it('tells every id from every other, in one order everywhere', async () => {
      const collection = fresh();
      await Promise.all(AWKWARD.map((id) => documents.put(collection, id, { id })));
      for (const id of AWKWARD) expect(await documents.get(collection, id)).toEqual({ id });
      const listed = await documents.list(collection);
      expect(listed.map(({ id }) => id)).toEqual([...AWKWARD].sort((a, b) => (a < b ? -1 : 1)));
      expect(listed.every(({ id, value }) => (value as { id: string }).id === id)).toBe(true);
    });

    it('tells every collection from every other', async () => {
      for (const collection of AWKWARD) await documents.put(collection, 'same id', collection);
      for (const collection of AWKWARD) {
        expect(await documents.list(collection)).toEqual([{ id: 'same id', value: collection }]);
        await documents.delete(collection, 'same id');
      }
    });

    it.each(['', 'x'.repeat(513), 'a\u0000b', '\ud800'])('refuses the name %j, whatever is asked', async (name) => {
      const refused = { code: 'rejected', executed: 'no' };
      await expect(documents.get('c', name)).rejects.toMatchObject(refused);
      await expect(documents.put(name, 'i', 1)).rejects.toMatchObject(refused);
      await expect(documents.delete('c', name)).rejects.toMatchObject(refused);
      await expect(documents.list(name)).rejects.toMatchObject(refused);
    });

    it('refuses what is no JSON, and what is too large, and keeps what was there', async () => {
      const collection = fresh();
      await documents.put(collection, 'one', 1);
      await expect(documents.put(collection, 'one', undefined as never)).rejects.toMatchObject({ code: 'rejected' });
      await expect(documents.put(collection, 'one', 'x'.repeat(33 * 1024 * 1024))).rejects.toMatchObject({
        code: 'full',
      });
      expect(await documents.get(collection, 'one')).toBe(1);
    });

    it('writes of one id happen in the order in which they were asked for', async () => {
      const collection = fresh();
      const writes = Array.from({ length: 50 }, (_, n) => documents.put(collection, 'one', n));
      const deleted = documents.delete(collection, 'one');
      const last = documents.put(collection, 'one', 'last');
      await Promise.all([...writes, last]);
      expect(await deleted).toBe(true);
      expect(await documents.get(collection, 'one')).toBe('last');
    });

    it('two writers leave one of their documents whole, and readers never see half of one', async () => {
      const collection = fresh();
      const value = (mark: string): Json => ({ mark, text: mark.repeat(100_000) });
      await documents.put(collection, 'one', value('a'));
      await reopened(async (again) => {
        const writing = Promise.all(
          [documents, again].map(async (one, n) => {
            for (let turn = 0; turn < 10; turn += 1) await one.put(collection, 'one', value('bc'.charAt(n)));
          }),
        );
        let done = false;
        void writing.finally(() => (done = true));
        while (!done) {
          const { mark, text } = (await documents.get(collection, 'one')) as { mark: string; text: string };
          expect(text).toBe(mark.repeat(100_000));
        }
        await writing;
      });
    });

    it('finishes the writes that were asked for when it is closed, and takes no more', async () => {
      const collection = fresh();
      const closing = await store.open();
      const written = closing.put(collection, 'one', 1);
      await closing.close();
      await written;
      await expect(closing.put(collection, 'two', 2)).rejects.toMatchObject({ code: 'closed' });
      await expect(closing.get(collection, 'one')).rejects.toMatchObject({ code: 'closed' });
      expect(await documents.list(collection)).toEqual([{ id: 'one', value: 1 }]);
    });
  });
}
