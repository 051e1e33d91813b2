import { Seeded } from '../seeded.js';
import { envelope, inAll, LEGACY, legacy, modern, post, MODERN } from './compose.js';
import type { WireRequest } from './compose.js';

const WRONG = [null, 1, true, 'text', [], {}, ['a'], { a: 1 }] as const;
const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;
const METHODS = ['tools/call', 'resources/read', 'prompts/get', 'completion/complete'] as const;

const spelled = (value: unknown): string => JSON.stringify(value);

/** Requests whose envelope is right and whose params are not. */
export function badParams(seed: number): WireRequest[] {
  const seeded = new Seeded(seed);
  return [
    ...METHODS.flatMap((method) => inAll(`${method} with nothing`, method)),
    ...WRONG.flatMap((value) => [
      ...inAll(`calls by the name ${spelled(value)}`, 'tools/call', { name: value }),
      ...inAll(`calls with the arguments ${spelled(value)}`, 'tools/call', { name: 'echo', arguments: value }),
      ...inAll(`reads ${spelled(value)}`, 'resources/read', { uri: value }),
      ...inAll(`gets by the name ${spelled(value)}`, 'prompts/get', { name: value }),
    ]),
    ...WRONG.map((value) => wrongParams(value)).flat(),
    ...unknownNames(seeded).flatMap((name) => inAll(`calls unknown ${spelled(name)}`, 'tools/call', { name })),
    ...PROTOTYPE_NAMES.flatMap((name) => [
      ...inAll(`gets ${name}`, 'prompts/get', { name }),
      ...inAll(`reads ${name}`, 'resources/read', { uri: name }),
    ]),
    ...['test://none', 'not a uri', 'file:///etc/passwd', 'test://item/', 'test://item/a/b'].flatMap((uri) =>
      inAll(`reads unknown ${uri}`, 'resources/read', { uri }),
    ),
    ...inAll('gets an unknown prompt', 'prompts/get', { name: 'nobody' }),
    ...prototypeKeys(),
    ...badCompletions(),
    ...cursors(),
  ];
}

const wrongParams = (params: unknown): WireRequest[] =>
  LEGACY.map((revision) => legacy(revision, `tools/list with the params ${spelled(params)}`, 'tools/list', params));

const unknownNames = (seeded: Seeded): string[] => [
  ...PROTOTYPE_NAMES,
  '',
  ' echo',
  'Echo',
  'echo\u0000',
  'ęcho',
  '工具',
  'a'.repeat(300),
  `x${seeded.below(1e6)}.y${seeded.below(1e6)}`,
];

/** Keys that would reach an object's prototype if somebody merged or looked up carelessly. */
const prototypeKeys = (): WireRequest[] => {
  const given = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"text":"x"}';
  const call = (_meta: string) => `{"name":"echo","arguments":${given},"__proto__":{"name":"fail"}${_meta}}`;
  const body = (_meta: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call(_meta)}}`;
  return [
    post(`${MODERN} calls with prototype keys`, body(`,"_meta":${JSON.stringify(envelope())}`), {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'echo',
    }),
    ...LEGACY.map((revision) =>
      post(`${revision} calls with prototype keys`, body(''), { 'MCP-Protocol-Version': revision }),
    ),
  ];
};

const badCompletions = (): WireRequest[] => {
  const argument = { name: 'who', value: 'a' };
  const greet = { type: 'ref/prompt', name: 'greet' };
  const cases: readonly [string, Record<string, unknown>][] = [
    ['of nothing', { argument }],
    ['of an unknown kind', { ref: { type: 'ref/tool', name: 'echo' }, argument }],
    ['of an unknown prompt', { ref: { type: 'ref/prompt', name: 'nobody' }, argument }],
    ['of an unknown template', { ref: { type: 'ref/resource', uri: 'test://none/{x}' }, argument }],
    ['of a nameless prompt', { ref: { type: 'ref/prompt' }, argument }],
    ['without an argument', { ref: greet }],
    ['of a nameless argument', { ref: greet, argument: { value: 'a' } }],
    ['of a number', { ref: greet, argument: { name: 'who', value: 1 } }],
  ];
  return cases.flatMap(([what, params]) => inAll(`completes ${what}`, 'completion/complete', params));
};

const cursors = (): WireRequest[] =>
  ['tools/list', 'resources/list', 'prompts/list'].flatMap((method) => [
    modern(`${method} from a number`, method, { cursor: 5 }),
    ...LEGACY.map((revision) => legacy(revision, `${method} from a number`, method, { cursor: 5 })),
  ]);
