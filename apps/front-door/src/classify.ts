import type { IncomingHttpHeaders } from 'node:http';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { isRecord } from './mcp-request.js';
import { LEGACY_REVISIONS, MODERN_REVISION } from './protocol-revisions.js';
import { singleHeader } from './standard-headers.js';

type Classification = ReturnType<typeof classifyInboundRequest>;
/** A request, as far as it can be told by looking at it. */
type PlainRequest = Extract<Classification, { kind: 'modern'; messageKind: 'request' }>['message'];

const PROTOCOL = 'io.modelcontextprotocol/';
const ENVELOPE: ReadonlySet<string> = new Set(
  ['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel'].map((key) => PROTOCOL + key),
);
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const ENVELOPES_KEPT = 256;
const ENVELOPE_LIMIT = 2_048;

/** Envelopes that the SDK has found valid, as JSON. A client sends the same one with every request. */
const validEnvelopes = new Set<string>();

/**
 * Which era a message belongs to, or why it is refused, by the SDK's classifier. That tries three schemas on every
 * message, two of them in vain; what is plainly a request, with an envelope it has found valid before, goes a short way
 * to the same verdict (`classify.spec.ts` compares them).
 */
export function classify(headers: IncomingHttpHeaders, body: unknown): Classification {
  const protocolVersionHeader = singleHeader(headers, 'mcp-protocol-version');
  const mcpMethodHeader = singleHeader(headers, 'mcp-method');
  const envelope = isPlainRequest(body) ? envelopeOf(body) : undefined;
  if (envelope !== undefined) {
    const request = body as PlainRequest;
    if (envelope === '') {
      const legacy = protocolVersionHeader === undefined || LEGACY_REVISIONS.includes(protocolVersionHeader);
      if (legacy && request.method !== 'initialize') return { kind: 'legacy', reason: 'no-claim' };
    } else if (
      protocolVersionHeader === MODERN_REVISION &&
      mcpMethodHeader === request.method &&
      validEnvelopes.has(envelope)
    ) {
      const classification = { era: 'modern', revision: MODERN_REVISION } as const;
      return { kind: 'modern', messageKind: 'request', message: request, classification };
    }
  }
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader,
    mcpMethodHeader,
    mcpNameHeader: singleHeader(headers, 'mcp-name'),
    body,
  });
  if (envelope !== undefined && outcome.kind === 'modern') remember(envelope);
  return outcome;
}

function remember(envelope: string): void {
  if (envelope.length > ENVELOPE_LIMIT) return;
  if (validEnvelopes.size >= ENVELOPES_KEPT) validEnvelopes.clear();
  validEnvelopes.add(envelope);
}

function isPlainRequest(body: unknown): body is PlainRequest {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string') return false;
  const { id, params } = body;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return false;
  for (const member in body) if (!MEMBERS.has(member)) return false;
  return params === undefined || isRecord(params);
}

/** The claims of a request's envelope as text: empty when it makes none, undefined when only the SDK can tell. */
function envelopeOf({ params }: PlainRequest): string | undefined {
  const meta: unknown = params?.['_meta'];
  if (meta === undefined) return '';
  if (!isRecord(meta)) return undefined;
  const token = meta['progressToken'];
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token)) return undefined;
  let claims = false;
  for (const key in meta) {
    if (!key.startsWith(PROTOCOL)) continue;
    // A null claim is refused, and as text it would look like an absent one.
    if (!ENVELOPE.has(key) || meta[key] === null || meta[key] === undefined) return undefined;
    claims = true;
  }
  if (!claims) return '';
  if (meta[`${PROTOCOL}protocolVersion`] !== MODERN_REVISION) return undefined;
  return JSON.stringify([
    meta[`${PROTOCOL}clientInfo`],
    meta[`${PROTOCOL}clientCapabilities`],
    meta[`${PROTOCOL}logLevel`],
  ]);
}
