import { legacy, LEGACY, modern, REVISIONS } from './compose.js';
import type { WireRequest } from './compose.js';

const VERBS = ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'] as const;

const CONTENT_TYPES = [
  undefined,
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json;',
  'application/jsonrpc',
  'application/vnd.api+json',
  'text/json',
] as const;

const ACCEPTS = ['application/json, text/event-stream', 'application/json', '*/*'] as const;

const PROVENANCES: readonly [string, Record<string, string>][] = [
  ['a foreign Host', { Host: 'evil.example.com' }],
  ['a foreign Host with a port', { Host: 'evil.example.com:80' }],
  ['a Host that only begins as ours', { Host: 'localhost.evil.example.com' }],
  ['Host localhost', { Host: 'localhost' }],
  ['Host 127.0.0.1', { Host: '127.0.0.1:1' }],
  ['a foreign Origin', { Origin: 'https://evil.example.com' }],
  ['the Origin null', { Origin: 'null' }],
  ['an Origin that is no URL', { Origin: 'nonsense' }],
  ['an Origin that only begins as ours', { Origin: 'http://localhost.evil.example.com' }],
  ['a local Origin', { Origin: 'http://localhost:3000' }],
  ['a local Origin by number', { Origin: 'http://127.0.0.1:3000' }],
];

/** Requests that are about HTTP rather than about MCP. */
export function badHttp(): WireRequest[] {
  const variants = (what: string, headers: Record<string, string | undefined>): WireRequest[] => [
    modern(`tools/list with ${what}`, 'tools/list', {}, { headers }),
    ...LEGACY.map((revision) => legacy(revision, `tools/list with ${what}`, 'tools/list', {}, { headers })),
  ];
  return [
    ...VERBS.flatMap((verb) =>
      REVISIONS.map((revision) => ({
        name: `${revision} ${verb}`,
        verb,
        headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': revision },
      })),
    ),
    { name: 'a preflight', verb: 'OPTIONS', headers: { Origin: 'http://localhost:3000' } },
    { name: 'a preflight of a foreign page', verb: 'OPTIONS', headers: { Origin: 'https://evil.example.com' } },
    ...CONTENT_TYPES.flatMap((type) => variants(`the content type ${type ?? 'unnamed'}`, { 'Content-Type': type })),
    ...ACCEPTS.flatMap((accept) => variants(`Accept ${accept}`, { Accept: accept })),
    ...variants('no Accept', { Accept: undefined }),
    ...PROVENANCES.flatMap(([what, headers]) => variants(what, headers)),
    ...LEGACY.map((revision) =>
      legacy(
        revision,
        'tools/list with a session nobody gave',
        'tools/list',
        {},
        {
          headers: { 'Mcp-Session-Id': 'made-up' },
        },
      ),
    ),
  ];
}
