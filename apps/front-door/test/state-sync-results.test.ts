import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Envelope, type PayloadOf, invalidateAnswers, wentStale } from '@portico/contracts';
import { serveSource } from '@portico/domain-kit';
import { type OpenDoor, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';
import { billing, pause, ready, until } from './state-sync-world.js';

const TAG = '<cache_invalidation cause="billing.refund" domains="billing.get_*,dashboard.invoices" />';
let door: OpenDoor;
let stale: PayloadOf<typeof wentStale>[] = [];
const open = async (env: Record<string, string>, policy: Record<string, unknown> = {}): Promise<void> => {
  door = await openDoor(env, { policy });
  await door.bus.listen(wentStale, (payload) => void stale.push(payload));
  await door.serve(billing);
  await ready(door);
};
beforeEach(() => {
  stale = [];
});
afterEach(() => door.close());
const call = async (name: string, args: Record<string, unknown> = {}, revision = '2026-07-28') =>
  (await door.rpc('tools/call', { name, arguments: args }, { revision })).message.result;
const tagged = (result: unknown): boolean => JSON.stringify(result).includes('cache_invalidation');

describe.each(['2026-07-28', '2025-11-25'])('[SS-4] what a call made stale, for a client of %s', (revision) => {
  beforeEach(() => open({ SEMANTIC_CACHE: 'off' }));

  it('is the first element of a success, before the content of the tool, and is told once', async () => {
    const { content, isError } = await call('billing.refund', {}, revision);
    expect(content).toEqual([
      { type: 'text', text: TAG },
      { type: 'text', text: 'refunded' },
    ]);
    expect(isError).toBeUndefined();
    await until(() => stale.length > 0);
    await pause(50);
    expect(stale).toEqual([{ tenant: 'default', patterns: ['billing.get_*', 'dashboard.invoices'] }]);
  });

  it('comes before the text of a result that has data alone', async () => {
    const { content, structuredContent } = await call('billing.refund', { as: 'data' }, revision);
    expect(content).toEqual([
      { type: 'text', text: TAG },
      { type: 'text', text: '{"refunded":1}' },
    ]);
    expect(structuredContent).toEqual({ refunded: 1 });
  });

  it.each(['error', 'thrown', 'input'])('is nothing where it ends otherwise: %s', async (as) => {
    const result = await call('billing.refund', { as }, revision);
    expect(tagged(result)).toBe(false);
    const envelope = Envelope.parse(result._meta['portico/envelope']);
    expect(envelope.ok).toBe(as === 'input' && revision === '2026-07-28');
    await pause(50);
    expect(stale).toEqual([]);
  });

  it('is nothing for tools that make nothing stale', async () => {
    for (const name of ['billing.get_invoice', 'billing.list', 'billing.note'])
      expect(tagged(await call(name, {}, revision))).toBe(false);
    await pause(50);
    expect(stale).toEqual([]);
  });
});

describe('[SS-4] the tag', () => {
  it('names the cause as it is published, however it was called, and escapes what stands in an attribute', async () => {
    const match = `odd.a"<b>&'`;
    await open(
      { SEMANTIC_CACHE: 'off' },
      { tools: [{ match: 'odd.*', effect: 'write', invalidates: [`odd.x"/><y>&'`] }] },
    );
    await serveSource(door.bus, plainSource('odd', [match.slice(4)]), { instance: 'o' });
    await ready(door, 'odd');
    const { content } = await call(match);
    expect(content[0].text).toBe(
      '<cache_invalidation cause="odd.a&#34;&#60;b&#62;&#38;&#39;" domains="odd.x&#34;/&#62;&#60;y&#62;&#38;&#39;" />',
    );
    expect((await call('billing_pay')).content[0].text).toBe(
      '<cache_invalidation cause="billing.pay" domains="billing.get_*" />',
    );
  });

  it('is left out where a source declares patterns that nobody could be told of, with the reason in the log', async () => {
    await open({ SEMANTIC_CACHE: 'off' });
    const patterns = ['no pattern', 'a.b,c.d', 'Upper.case', 'odd.get_*'];
    const tools = ['one', 'all'].map((name) => ({
      definition: { name, inputSchema: { type: 'object' } },
      policy: { effect: 'write', invalidates: name === 'one' ? patterns : patterns.slice(0, 3) },
    }));
    await serveSource(door.bus, plainSource('odd', [], { lists: { tools: tools as never } }), { instance: 'o' });
    await ready(door, 'odd');
    expect((await call('odd.one')).content[0].text).toBe('<cache_invalidation cause="odd.one" domains="odd.get_*" />');
    expect(tagged(await call('odd.all'))).toBe(false);
    expect(
      door.lines.filter((line) => line.includes('catalogue.left-out') && line.includes('"invalidates"')),
    ).toHaveLength(2);
  });

  it('is not what a read gains, whatever a policy says it makes stale: a read changes nothing', async () => {
    await open({ SEMANTIC_CACHE: 'off' }, { tools: [{ match: 'billing.list', invalidates: ['billing.get_*'] }] });
    expect(tagged(await call('billing.list'))).toBe(false);
  });
});

describe('[SS-4][SS-5][SS-9] the order of one event', () => {
  it('is: the cache has dropped it, then the tag is given and the notification told', async () => {
    await open({ CACHE_BUDGET_MS: '5000' });
    let dropped = (): void => undefined;
    const asked: unknown[] = [];
    await door.bus.serve(invalidateAnswers, async (request) => {
      asked.push(request);
      await new Promise<void>((resolve) => (dropped = resolve));
      return { erased: 1, epoch: 1 };
    });
    let answered = false;
    const answer = call('billing.refund').finally(() => (answered = true));
    await until(() => asked.length === 1);
    await pause(100);
    expect([answered, stale]).toEqual([false, []]);
    expect(asked).toEqual([{ tenant: 'default', patterns: ['billing.get_*', 'dashboard.invoices'] }]);
    dropped();
    expect((await answer).content[0].text).toBe(TAG);
    await until(() => stale.length === 1);
  });

  it('drops also what a failure may have changed, of which nobody is told', async () => {
    await open({ CACHE_BUDGET_MS: '5000' });
    const asked: unknown[] = [];
    await door.bus.serve(invalidateAnswers, async (request) => {
      asked.push(request);
      return { erased: 1, epoch: 1 };
    });
    expect(tagged(await call('billing.refund', { as: 'thrown' }))).toBe(false);
    expect(tagged(await call('billing.refund', { as: 'error' }))).toBe(false);
    expect(asked).toHaveLength(2);
    await pause(50);
    expect(stale).toEqual([]);
  });
});
