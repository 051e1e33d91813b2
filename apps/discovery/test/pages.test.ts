import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Fault, describeSource, discoverSource } from '@portico/contracts';
import type { CataloguePage, SourceCatalogue } from '@portico/contracts';
import { Room } from './room.js';
import { catalogueOf } from './sources.js';

const SOURCE = 'upstream.a';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});
afterEach(() => room.close());

/** Pages made up by a test, as a source with many instances may give them; counts how often it was asked from the start. */
const answerWith = async (page: (cursor: string | undefined) => CataloguePage): Promise<() => number> => {
  let begun = 0;
  await room.bus.serve(describeSource(SOURCE), async ({ cursor }) => {
    if (cursor === undefined) begun++;
    return page(cursor);
  });
  room.hello(SOURCE);
  return () => begun;
};
const pageOf = (revision: string, tool: string, nextCursor?: string): CataloguePage => ({
  ...catalogueOf(tool),
  revision,
  ...(nextCursor !== undefined && { nextCursor }),
});

describe('[DI-2] all pages', () => {
  it('of every kind are read, kept and given', async () => {
    const filling = 'x'.repeat(2_000);
    const many = <Item>(item: (name: string) => Item): Item[] =>
      Array.from({ length: 400 }, (_, n) => item(`n${String(n).padStart(3, '0')}`));
    const whole: Omit<SourceCatalogue, 'revision'> = {
      ...catalogueOf(...many((name) => name)),
      resources: many((name) => ({ uri: `a:${name}`, name, description: filling })),
      resourceTemplates: many((name) => ({ uriTemplate: `a:${name}/{x}`, name, description: filling })),
      prompts: many((name) => ({ name, description: filling })),
    };
    await room.source(SOURCE, () => whole);
    await room.discover();
    const pages: CataloguePage[] = [];
    for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
      const page = await room.bus.ask(discoverSource, { source: SOURCE, cursor });
      pages.push(page);
      cursor = page.nextCursor;
    }
    expect(pages.length).toBeGreaterThan(4);
    for (const kind of ['tools', 'resources', 'resourceTemplates', 'prompts'] as const) {
      expect(pages.flatMap((page) => page[kind] as unknown[])).toEqual(whole[kind]);
    }
  });

  it('are of one revision: a source that changes between them is read again from its start', async () => {
    await room.discover();
    const begun = await answerWith((cursor) => {
      if (cursor === undefined) return begun() === 1 ? pageOf('r1', 'old', 'next') : pageOf('r2', 'new', 'next');
      return pageOf('r2', 'more');
    });
    expect(await room.tools(SOURCE)).toEqual(['more', 'new']);
    expect(begun()).toBe(2);
  });

  it('are read again from the start when the source refuses a cursor as too old', async () => {
    await room.discover();
    const begun = await answerWith((cursor) => {
      if (cursor === undefined) return begun() === 1 ? pageOf('r1', 'old', 'next') : pageOf('r2', 'new');
      throw new Fault('INVALID_ARGUMENTS', 'Start again.');
    });
    expect(await room.tools(SOURCE)).toEqual(['new']);
    expect(begun()).toBe(2);
  });

  it('that never end are ended', async () => {
    await room.discover();
    let asked = 0;
    await answerWith(() => pageOf('r1', `tool-${asked}`, `${++asked}`));
    await expect(room.tools(SOURCE)).rejects.toBeInstanceOf(Fault);
    expect(await room.summary(SOURCE, false)).toMatchObject({ state: 'unavailable', error: 'invalid_response' });
    expect(asked).toBe(1_000);
  });
});
