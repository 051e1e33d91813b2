import { afterEach, describe, expect, it } from '@jest/globals';
import { type OpenDoor, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';
import { serveSource } from '@portico/domain-kit';
import { billing, ready } from './state-sync-world.js';

let door: OpenDoor;
afterEach(() => door.close());

const open = async (tools: Record<string, unknown>[] = []): Promise<void> => {
  door = await openDoor({ SEMANTIC_CACHE: 'off' }, { policy: { tools } });
  await door.serve(billing);
  await ready(door);
};
const described = async (revision = '2026-07-28'): Promise<Record<string, string | undefined>> => {
  const { tools } = (await door.rpc('tools/list', {}, { revision })).message.result;
  return Object.fromEntries(tools.map((tool: { name: string; description?: string }) => [tool.name, tool.description]));
};

describe('[SS-1] what a description says of staleness', () => {
  it.each(['2026-07-28', '2025-11-25', '2025-06-18'])(
    'is what the domain declares, for a client of %s',
    async (revision) => {
      await open();
      expect(await described(revision)).toMatchObject({
        'billing.get_invoice': 'The get_invoice tool. [Cache-Control: immutable]',
        'billing.get_rate': 'The get_rate tool. [Cache-Control: no-store]',
        'billing.list': 'The list tool.',
        'billing.refund': 'The refund tool.',
      });
    },
  );

  it('is the same in gateway.describe', async () => {
    await open();
    const { result } = (await door.rpc('tools/call', { name: 'gateway.describe', arguments: { domain: 'billing' } }))
      .message;
    const [{ tools }] = JSON.parse(result.content[0].text).domains;
    const of = (name: string) => tools.find((tool: { name: string }) => tool.name === name).description;
    expect(of('billing.get_invoice')).toBe('The get_invoice tool. [Cache-Control: immutable]');
    expect(of('billing.note')).toBe('The note tool.');
  });

  it('is what the operator says, before what the domain declares', async () => {
    await open([
      { match: 'billing.get_invoice', staleness: 'stale' },
      { match: 'billing.list', staleness: 'cached' },
    ]);
    expect(await described()).toMatchObject({
      'billing.get_invoice': 'The get_invoice tool. [Cache-Control: no-store]',
      'billing.list': 'The list tool. [Cache-Control: immutable]',
      'billing.get_rate': 'The get_rate tool. [Cache-Control: no-store]',
    });
  });

  it('stands alone where a tool has no description, and changes nothing else of a definition', async () => {
    door = await openDoor(
      { CONTEXT_IN_SCHEMAS: 'off' },
      { policy: { tools: [{ match: 'plain.*', staleness: 'cached' }] } },
    );
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const source = plainSource('plain', [], {
      lists: {
        tools: ['none', 'empty'].map((name) => ({
          definition: { name, title: 'T', ...(name === 'empty' && { description: '' }), inputSchema, 'x-more': [1] },
          policy: { effect: 'write' },
        })) as never,
      },
    });
    await serveSource(door.bus, source, { instance: 'p' });
    await ready(door, 'plain');
    const { tools } = (await door.rpc('tools/list')).message.result;
    const description = '[Cache-Control: immutable]';
    for (const name of ['plain.none', 'plain.empty'])
      expect(tools.find((tool: { name: string }) => tool.name === name)).toEqual({
        name,
        title: 'T',
        description,
        inputSchema,
        'x-more': [1],
      });
  });
});

describe('[SS-3] an operator', () => {
  it('switches it off for a tool, whoever declared it, and for that tool alone', async () => {
    await open([{ match: 'billing.get_invoice', decorate: false }]);
    expect(await described()).toMatchObject({
      'billing.get_invoice': 'The get_invoice tool.',
      'billing.get_rate': 'The get_rate tool. [Cache-Control: no-store]',
    });
  });

  it('switches it off for a pattern of tools, in gateway.describe too', async () => {
    await open([{ match: 'billing.*', staleness: 'cached', decorate: false }]);
    for (const [name, description] of Object.entries(await described()))
      if (name.startsWith('billing.')) expect(description).not.toContain('Cache-Control');
    const { text } = await door.rpc('tools/call', { name: 'gateway.describe', arguments: {} });
    expect(text).not.toContain('Cache-Control');
  });
});
