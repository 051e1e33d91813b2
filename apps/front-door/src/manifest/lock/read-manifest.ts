import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { MODERN_REVISION } from '../../protocol-revisions.js';
import { Manifest, digestOf } from '../manifest.js';

const ANSWER_MS = 30_000;
const ANSWER_LIMIT_BYTES = 67_108_864;
/** A front door that has just been started has not heard all of its domains yet. */
const PATIENCE_MS = 10_000;
const AGAIN_MS = 250;

/** What a front door publishes for who calls, and the domains of it that do not answer now. */
export interface ReadSurface {
  readonly manifest: Manifest;
  readonly silent: readonly string[];
}

/** Reads the manifest by MCP. Rejects with one sentence when it can not be had. */
export async function readManifest(endpoint: URL, key: string | undefined): Promise<ReadSurface> {
  const silent = await silentDomains(endpoint, key);
  const read = await ask(endpoint, key, 'resources/read', { uri: 'portico://manifest.json' });
  const manifest = textOf(Manifest, checked(Contents, read).contents[0]);
  if (digestOf(manifest) !== manifest.digest)
    throw new Error('The digest of the manifest is not that of what it says.');
  return { manifest, silent };
}

const Text = z.object({ text: z.string() });
const Contents = z.object({ contents: z.tuple([Text]) });
const Described = z.object({ content: z.tuple([Text], z.unknown()) });
const Domains = z.object({ domains: z.array(z.object({ name: z.string(), status: z.string() })) });

/** Waits for those that have not been heard yet, and gives those that do not answer. */
async function silentDomains(endpoint: URL, key: string | undefined): Promise<string[]> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    // Whoever lists has the front door ask all domains.
    await ask(endpoint, key, 'tools/list', {});
    const described = await ask(endpoint, key, 'tools/call', { name: 'gateway.describe' });
    const { domains } = textOf(Domains, checked(Described, described).content[0]);
    const named = (...states: string[]): string[] =>
      domains.filter(({ status }) => states.includes(status)).map(({ name }) => name);
    if (named('unknown').length === 0 || performance.now() > until) return named('unknown', 'down');
    await pause(AGAIN_MS);
  }
}

async function ask(
  endpoint: URL,
  key: string | undefined,
  method: string,
  params: Record<string, unknown>,
): Promise<unknown> {
  const named = params['name'] ?? params['uri'];
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'portico-manifest', version: '1' },
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(endpoint, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'MCP-Protocol-Version': MODERN_REVISION,
        'Mcp-Method': method,
        ...(typeof named === 'string' && { 'Mcp-Name': named }),
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    text = await boundedText(response);
  } catch (error) {
    throw new Error(`No front door answers at ${endpoint.origin}. Is it running? See --url.`, { cause: error });
  }
  if (response.status === 401 || response.status === 403)
    throw new Error(`The front door does not let this caller in (${response.status}). See --key-file.`);
  const { result, error } = textOf(Rpc, { text });
  if (result !== undefined) return result;
  if (method === 'resources/read' && error?.data?.code === 'NOT_FOUND')
    throw new Error('The front door has no manifest: it runs with MANIFEST=off.');
  throw new Error(
    `The front door answered ${response.status} to ${method}${error === undefined ? '' : `, code ${error.code}`}.`,
  );
}

const Rpc = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), data: z.object({ code: z.string() }).partial().optional() }).optional(),
});

/** What was answered, if it is what a front door answers. */
function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error('What answers there is no front door of this version. See --url.', { cause: parsed.error });
}

function textOf<T extends z.ZodType>(schema: T, { text }: { readonly text: string }): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Nothing is what no schema takes.
  }
  return checked(schema, value);
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > ANSWER_LIMIT_BYTES) throw new Error('The answer is too large.');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}
