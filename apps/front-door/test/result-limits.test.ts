import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServedSource, serveSource } from '@portico/domain-kit';
import { type OpenDoor, type RpcAnswer, openDoor } from './open-door.js';
import { plainSource } from './plain-source.js';

const LIMIT_BYTES = 20_000;
/** Three bytes, one character. */
const WIDE = '€';

let door: OpenDoor;
let source: ServedSource;
let ran = 0;
beforeAll(async () => {
  door = await openDoor({ RESULT_LIMIT_BYTES: String(LIMIT_BYTES) });
  const text = (what: string): string => {
    ran += 1;
    const [letter, count] = what.split('-') as [string, string];
    return (letter === 'wide' ? WIDE : 'x').repeat(Number(count));
  };
  source = await serveSource(
    door.bus,
    plainSource('big', ['text'], {
      lists: {
        resourceTemplates: [{ uriTemplate: 'big://{what}', name: 'big' }],
        prompts: [{ name: 'ask' }],
      },
      callTool: async ({ arguments: { what } }) => ({ content: [{ type: 'text', text: text(String(what)) }] }),
      readResource: async ({ uri }) => ({ contents: [{ uri, text: text(uri.slice('big://'.length)) }] }),
      getPrompt: async ({ arguments: given }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: text(String(given?.['what'])) } }],
      }),
    }),
    { instance: 'big-1' },
  );
  await door.rpc('tools/list');
});
afterAll(async () => {
  await source.close();
  await door.close();
});

const REVISIONS = ['2026-07-28', '2025-11-25'];
const WAYS: [string, (what: string, revision: string) => Promise<RpcAnswer>][] = [
  ['resources/read', (what, revision) => door.rpc('resources/read', { uri: `big://${what}` }, { revision })],
  ['prompts/get', (what, revision) => door.rpc('prompts/get', { name: 'big.ask', arguments: { what } }, { revision })],
];
// The second is above in bytes alone.
const ABOVE = ['plain-20000', 'wide-8000'];
const BELOW = ['plain-15000', 'wide-5000'];

describe.each(WAYS)('[FD-25] %s beyond RESULT_LIMIT_BYTES', (_method, ask) => {
  it.each(REVISIONS.flatMap((revision) => ABOVE.map((what) => [what, revision] as const)))(
    'of %s is PAYLOAD_TOO_LARGE naming size and limit (%s)',
    async (what, revision) => {
      const before = ran;
      const answer = await ask(what, revision);
      expect(answer.message.error).toMatchObject({ code: 413, data: { code: 'PAYLOAD_TOO_LARGE' } });
      const [size, limit] = (answer.message.error.message.match(/\d+/g) as string[]).map(Number);
      expect(size).toBeGreaterThan(LIMIT_BYTES);
      expect(size).toBeLessThan(26_000);
      expect(limit).toBe(LIMIT_BYTES);
      expect(answer.text.length).toBeLessThan(1_000);
      expect(ran).toBe(before + 1);
    },
  );

  it.each(REVISIONS.flatMap((revision) => BELOW.map((what) => [what, revision] as const)))(
    'but %s passes whole (%s)',
    async (what, revision) => {
      const answer = await ask(what, revision);
      expect(answer.message.error).toBeUndefined();
      const [letter, count] = what.split('-') as [string, string];
      expect(answer.text).toContain((letter === 'wide' ? WIDE : 'x').repeat(Number(count)));
    },
  );
});

describe('[FD-25] tools/call counts bytes, not characters', () => {
  const call = async (what: string) =>
    (await door.rpc('tools/call', { name: 'big.text', arguments: { what } })).message.result;

  it.each(ABOVE)('%s is PAYLOAD_TOO_LARGE, and ran', async (what) => {
    const result = await call(what);
    expect(result.isError).toBe(true);
    const { error } = result._meta['portico/envelope'];
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', executed: 'yes', retryable: false });
    const [size, limit] = (error.message.match(/\d+/g) as string[]).map(Number);
    expect(size).toBeGreaterThan(LIMIT_BYTES);
    expect(limit).toBe(LIMIT_BYTES);
  });

  it.each(BELOW)('%s passes', async (what) => {
    expect((await call(what)).isError).toBeUndefined();
  });
});
