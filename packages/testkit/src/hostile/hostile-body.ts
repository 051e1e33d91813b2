import { envelope, MODERN } from '../oracle/compose.js';
import type { Seeded } from '../seeded.js';
import { hostileValue } from './hostile-value.js';

const METHODS = [
  'tools/call',
  'tools/list',
  'resources/read',
  'resources/list',
  'prompts/get',
  'prompts/list',
  'completion/complete',
  'server/discover',
  'initialize',
  'ping',
  'logging/setLevel',
  'notifications/cancelled',
  'notifications/initialized',
  '__proto__',
  'constructor',
  'tasks/get',
];

/** The parts of a JSON-RPC message, each as JSON text so that any of them can be replaced by any text. */
interface Parts {
  jsonrpc?: string;
  id?: string;
  method?: string;
  params?: string;
}

/** A message with something wrong with it, most of the time, and the headers that would have gone with it. */
export interface HostileBody {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const key = (name: string): string => JSON.stringify(`io.modelcontextprotocol/${name}`);

export function hostileBody(seeded: Seeded): HostileBody {
  const modern = seeded.chance(0.5);
  const method = seeded.pick(METHODS);
  const name = seeded.pick(['echo', 'sum', 'progress', 'region', 'fail', 'gateway.describe', 'greet', '__proto__']);
  const params: Record<string, string> = {
    ...(modern && { _meta: JSON.stringify(envelope()) }),
    name: JSON.stringify(name),
    arguments: '{"text":"x","a":1,"b":2}',
    uri: '"test://a/text"',
    ref: '{"type":"ref/prompt","name":"greet"}',
    argument: '{"name":"who","value":"a"}',
    protocolVersion: '"2025-11-25"',
    capabilities: '{}',
    clientInfo: '{"name":"x","version":"1"}',
    requestId: '1',
  };
  spoilParams(seeded, params, modern);
  const parts: Parts = {
    jsonrpc: '"2.0"',
    ...(!method.startsWith('notifications/') && { id: String(seeded.below(1_000)) }),
    method: JSON.stringify(method),
    params: objectOf(params),
  };
  spoilMessage(seeded, parts);
  return {
    bytes: spoilBytes(seeded, Buffer.from(objectOf(parts as Record<string, string>))),
    headers: {
      'MCP-Protocol-Version': modern ? MODERN : seeded.pick(['2025-11-25', '2025-06-18']),
      ...(modern && { 'Mcp-Method': method, 'Mcp-Name': method === 'resources/read' ? 'test://a/text' : name }),
    },
  };
}

const objectOf = (parts: Readonly<Record<string, string>>): string =>
  `{${Object.entries(parts)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;

function spoilParams(seeded: Seeded, params: Record<string, string>, modern: boolean): void {
  if (seeded.chance(0.5)) params[seeded.pick(Object.keys(params))] = hostileValue(seeded);
  if (seeded.chance(0.3)) params['arguments'] = `{"text":${hostileValue(seeded)},"a":${hostileValue(seeded)}}`;
  if (seeded.chance(0.1)) delete params[seeded.pick(Object.keys(params))];
  if (seeded.chance(0.1)) params[seeded.pick(['inputResponses', 'requestState', 'cursor'])] = hostileValue(seeded);
  if (!modern || !seeded.chance(0.2)) return;
  const field = seeded.pick(['protocolVersion', 'clientCapabilities', 'clientInfo', 'logLevel']);
  params['_meta'] =
    `{${key('protocolVersion')}:"${MODERN}",${key('clientCapabilities')}:{},${key(field)}:${hostileValue(seeded)},"progressToken":${hostileValue(seeded)}}`;
}

function spoilMessage(seeded: Seeded, parts: Parts): void {
  const names = ['jsonrpc', 'id', 'method', 'params'] as const;
  if (seeded.chance(0.15)) parts[seeded.pick(names)] = hostileValue(seeded);
  if (seeded.chance(0.1)) delete parts[seeded.pick(names)];
}

/** Below the level of JSON: bytes cut, changed, put in, or in another encoding. */
function spoilBytes(seeded: Seeded, bytes: Buffer): Buffer {
  if (!seeded.chance(0.35)) return bytes;
  const at = seeded.below(bytes.length);
  const insert = (...put: number[]) => Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at)]);
  switch (seeded.below(10)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return insert(seeded.below(256));
    case 2:
      return insert(0xff, 0xfe);
    case 3:
      return insert(0xc0, 0x80);
    case 4:
      return insert(0xed, 0xa0, 0x80);
    case 5:
      return Buffer.from(bytes.toString('utf8'), 'utf16le');
    case 6:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 7:
      return Buffer.concat([bytes, bytes]);
    case 8:
      return Buffer.from(Array.from({ length: seeded.below(200) }, () => seeded.below(256)));
    default:
      return Buffer.concat([Buffer.from('['), bytes, Buffer.from(','), bytes, Buffer.from(']')]);
  }
}
