import { Seeded } from '../seeded.js';
import { inAll, legacy, LEGACY, modern } from './compose.js';
import type { WireRequest } from './compose.js';

const TEXTS = ['hello', '', 'Grüße', '日本語', '🙂', 'a\nb', '\u0000', '"quoted"', '\u2028', ' padded ', '</script>'];

/** Requests with nothing wrong with them. */
export function goodRequests(seed: number): WireRequest[] {
  const seeded = new Seeded(seed);
  const number = () => seeded.pick([0, -1, 1.5, 1e21, 2 ** 53, seeded.below(1000)]);
  const call = (name: string, given: Record<string, unknown>, what = '') =>
    inAll(`calls ${name} ${what}`, 'tools/call', { name, arguments: given });
  return [
    ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].flatMap((method) =>
      inAll(method, method),
    ),
    ...TEXTS.flatMap((text) => call('echo', { text }, `with ${JSON.stringify(text)}`)),
    ...Array.from({ length: 6 }, (_, index) => call('sum', { a: number(), b: number() }, `number ${index}`)).flat(),
    ...['fail', 'many', 'with.dots-and_more', 'progress'].flatMap((name) => call(name, {})),
    ...inAll('calls without arguments', 'tools/call', { name: 'echo' }),
    ...call('echo', { nested: { list: [1, [2, { three: null }]], ok: true } }, 'with nesting'),
    ...progressWanted(),
    ...['test://a/text', 'test://b/bytes', 'test://c/%C3%BC?q=1#part', 'test://item/7', 'test://item/%20'].flatMap(
      (uri) => inAll(`reads ${uri}`, 'resources/read', { uri }),
    ),
    ...inAll('gets greet', 'prompts/get', { name: 'greet', arguments: { who: 'Ünal' } }),
    ...inAll('gets greet without arguments', 'prompts/get', { name: 'greet' }),
    ...inAll('gets plain', 'prompts/get', { name: 'plain', arguments: {} }),
    ...completions(),
    modern('discovers', 'server/discover'),
    ...LEGACY.flatMap((revision) => handshake(revision)),
    ...ids(),
  ];
}

const progressWanted = (): WireRequest[] =>
  [1, 'token', 0].flatMap((progressToken) => [
    modern(`hears progress of ${JSON.stringify(progressToken)}`, 'tools/call', {
      name: 'progress',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        progressToken,
      },
    }),
    ...LEGACY.map((revision) =>
      legacy(revision, `hears progress of ${JSON.stringify(progressToken)}`, 'tools/call', {
        name: 'progress',
        _meta: { progressToken },
      }),
    ),
  ]);

const completions = (): WireRequest[] =>
  [
    { type: 'ref/prompt', name: 'greet' },
    { type: 'ref/resource', uri: 'test://item/{id}' },
  ].flatMap((ref) =>
    ['a', '', 'zzz'].flatMap((value) =>
      inAll(`completes ${ref.type} from ${JSON.stringify(value)}`, 'completion/complete', {
        ref,
        argument: { name: 'who', value },
      }),
    ),
  );

function handshake(revision: string): WireRequest[] {
  const initialize = (protocolVersion: string, headers: Record<string, string | undefined>, what: string) =>
    legacy(
      revision,
      `initialize ${what}`,
      'initialize',
      { protocolVersion, capabilities: {}, clientInfo: { name: 'oracle-client', version: '1' } },
      { headers },
    );
  const none = { 'MCP-Protocol-Version': undefined };
  return [
    initialize(revision, {}, 'with the header'),
    initialize(revision, none, 'without the header'),
    initialize('2024-11-05', none, 'for an older revision'),
    initialize('1999-01-01', none, 'for no revision'),
    legacy(revision, 'ping', 'ping'),
    legacy(revision, 'ping without params', 'ping', undefined),
  ];
}

const ids = (): WireRequest[] =>
  ['text', '', 0, -1, 2 ** 53 - 1, 'ü🙂', '__proto__'].flatMap((id) => [
    modern(`with the id ${JSON.stringify(id)}`, 'tools/list', {}, { message: { id } }),
    ...LEGACY.map((revision) =>
      legacy(revision, `with the id ${JSON.stringify(id)}`, 'tools/list', {}, { message: { id } }),
    ),
  ]);
