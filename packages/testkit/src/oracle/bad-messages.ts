import { envelope, inAll, LEGACY, legacy, MODERN, modern, post, REVISIONS } from './compose.js';
import type { WireRequest } from './compose.js';

/** Bodies that are no JSON. */
const NO_JSON = [
  '',
  ' ',
  '{',
  '}',
  '{"jsonrpc":"2.0"',
  '{"jsonrpc":"2.0",}',
  "{'jsonrpc':'2.0'}",
  'undefined',
  'NaN',
  '[1,2',
  '"open',
  '\ufeff\ufeff{}',
  '{"a":\u0001}',
  '{"id":01}',
  '{} {}',
  'jsonrpc=2.0&method=ping',
  '<?xml version="1.0"?><x/>',
];

/** JSON that is no JSON-RPC message, or just about one. */
const NO_MESSAGE: readonly [string, unknown][] = [
  ['null', null],
  ['a number', 5],
  ['a text', 'ping'],
  ['true', true],
  ['an empty object', {}],
  ['no jsonrpc', { id: 1, method: 'ping' }],
  ['jsonrpc 1.0', { jsonrpc: '1.0', id: 1, method: 'ping' }],
  ['jsonrpc as a number', { jsonrpc: 2, id: 1, method: 'ping' }],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['a number as method', { jsonrpc: '2.0', id: 1, method: 5 }],
  ['null as method', { jsonrpc: '2.0', id: 1, method: null }],
  ['null as id', { jsonrpc: '2.0', id: null, method: 'ping' }],
  ['a fraction as id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
  ['an object as id', { jsonrpc: '2.0', id: {}, method: 'ping' }],
  ['true as id', { jsonrpc: '2.0', id: true, method: 'ping' }],
  ['an unknown member', { jsonrpc: '2.0', id: 1, method: 'ping', extra: 1 }],
  ['a result and an error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } }],
  ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
  ['an error', { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'x' } }],
  ['an error without a code', { jsonrpc: '2.0', id: 1, error: { message: 'x' } }],
];

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const BATCHES: readonly [string, readonly unknown[]][] = [
  ['an empty batch', []],
  ['a batch of one', [PING]],
  ['a batch of two', [PING, { ...PING, id: 2 }]],
  ['a batch of a notification', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]],
  ['a batch of nonsense', [1, null, 'x']],
  ['a batch in a batch', [[PING]]],
  ['a batch of a 2026 request', [{ ...PING, method: 'tools/list', params: { _meta: envelope() } }]],
];

const UNKNOWN_METHODS = [
  'unknown/method',
  'tools/Call',
  'tools',
  'tools/call/',
  'rpc.discover',
  '__proto__',
  'constructor',
  'toString',
  'ünknown',
  'x'.repeat(500),
  'tasks/list',
  'tasks/get',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
];
/** What 2026 took away; 2025 clients of a front door without sessions get what the SDK would give them. */
const REMOVED_METHODS = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];

/** Requests that fail, or are passed over, before their params matter. */
export function badMessages(): WireRequest[] {
  const versioned = (revision: string) => ({ 'MCP-Protocol-Version': revision });
  return [
    ...NO_JSON.flatMap((body) =>
      REVISIONS.map((revision) => post(`${revision} body ${JSON.stringify(body)}`, body, versioned(revision))),
    ),
    ...[...NO_MESSAGE, ...BATCHES].flatMap(([what, message]) =>
      REVISIONS.map((revision) => post(`${revision} ${what}`, JSON.stringify(message), versioned(revision))),
    ),
    ...UNKNOWN_METHODS.flatMap((method) => inAll(`asks for ${method.slice(0, 40)}`, method)),
    ...REMOVED_METHODS.map((method) => modern(`asks for ${method}`, method)),
    ...['logging/setLevel', 'resources/subscribe', 'server/discover'].flatMap((method) =>
      LEGACY.map((revision) => legacy(revision, `asks for ${method}`, method)),
    ),
    ...notifications(),
  ];
}

const NOTIFICATIONS: readonly [string, Record<string, unknown>][] = [
  ['notifications/initialized', {}],
  ['notifications/cancelled', { requestId: 1, reason: 'no longer' }],
  ['notifications/cancelled', {}],
  ['notifications/progress', { progressToken: 1, progress: 1 }],
  ['notifications/roots/list_changed', {}],
  ['notifications/unknown', { any: 'thing' }],
  ['tools/call', { name: 'echo' }],
];

const notifications = (): WireRequest[] =>
  NOTIFICATIONS.flatMap(([method, params], index) => {
    const body = (more: object) => JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, ...more } });
    const name = `notifies ${index} ${method}`;
    return [
      post(`${MODERN} ${name}`, body({ _meta: envelope() }), {
        'MCP-Protocol-Version': MODERN,
        'Mcp-Method': method,
      }),
      ...LEGACY.map((revision) => post(`${revision} ${name}`, body({}), { 'MCP-Protocol-Version': revision })),
    ];
  });
