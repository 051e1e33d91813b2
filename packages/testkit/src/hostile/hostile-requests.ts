import { Seeded } from '../seeded.js';
import { hostileBody } from './hostile-body.js';
import { RAW_ATTACKS } from './raw-attacks.js';
import type { RawAttack } from './raw-attacks.js';

/** An HTTP request well framed and hostile in what it says. */
export interface HostileHttp {
  readonly kind: 'http';
  readonly verb: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** Bytes on a socket, hostile in how they are framed or in how slowly they come. */
export interface HostileRaw extends RawAttack {
  readonly kind: 'raw';
}

export type HostileRequest = HostileHttp | HostileRaw;

/** One in so many is sent on a raw socket; each of those costs a connection. */
const RAW_EVERY = 20;
const OVERSIZED_EVERY = 1_000;
const OVERSIZED_BYTES = 1_048_577;

/** Yields `count` hostile requests, one after the other, the same for the same seed. */
export function* hostileRequests(seed: number, count: number): Generator<HostileRequest> {
  const seeded = new Seeded(seed);
  for (let index = 0; index < count; index += 1) {
    if (index % RAW_EVERY === 0) {
      const attack = RAW_ATTACKS[(index / RAW_EVERY) % RAW_ATTACKS.length] as (typeof RAW_ATTACKS)[number];
      yield { kind: 'raw', ...attack(seeded) };
    } else {
      yield hostileHttp(seeded, index % OVERSIZED_EVERY === 1);
    }
  }
}

function hostileHttp(seeded: Seeded, oversized: boolean): HostileHttp {
  const { bytes, headers } = hostileBody(seeded);
  return {
    kind: 'http',
    verb: seeded.chance(0.97) ? 'POST' : seeded.pick(['GET', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']),
    path: seeded.chance(0.97) ? '/mcp' : seeded.pick(PATHS),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
      ...(seeded.chance(0.3) && spoiledHeader(seeded)),
    },
    body: oversized ? Buffer.alloc(OVERSIZED_BYTES, 0x20) : bytes,
  };
}

const PATHS = [
  '/',
  '/mcp/',
  '/MCP',
  '/mcp?a=b&a=c',
  '/mcp?__proto__[x]=1',
  '/mcp%00',
  '/../mcp',
  '//mcp',
  '/mcp#x',
  '/metrics',
  '/api/mcp',
  '/readyz',
  `/${'a'.repeat(4_000)}`,
  '/%',
  '/%ff%fe',
];

const NAMES = [
  'Content-Type',
  'Accept',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Mcp-Param-Region',
  'Mcp-Param-__proto__',
  'Origin',
  'Last-Event-ID',
  'X-Correlation-ID',
  'traceparent',
  'Content-Encoding',
  'Authorization',
  'X-Forwarded-For',
  '__proto__',
];

const VALUES: readonly ((seeded: Seeded) => string | string[])[] = [
  () => '',
  () => ' ',
  () => 'null',
  () => '__proto__',
  () => 'gzip',
  () => '=?base64?%%%?=',
  () => '=?base64?/////w==?=',
  () => `=?base64?${'A'.repeat(4_000)}?=`,
  () => '\u00ff\u00fe',
  () => 'a, b, c',
  () => ['one', 'two'],
  () => '../../x',
  () => 'Bearer x.y.z',
  () => '00-0000-00',
  () => 'http://evil.example.com',
  (seeded) => 'v'.repeat(1 + seeded.below(6_000)),
];

const spoiledHeader = (seeded: Seeded): Record<string, string | string[]> =>
  Object.fromEntries([[seeded.pick(NAMES), seeded.pick(VALUES)(seeded)]]) as Record<string, string | string[]>;
