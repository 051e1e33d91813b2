import type { IncomingHttpHeaders } from 'node:http';
import { decode } from './param-headers.js';

/** JSON-RPC code of a header that disagrees with the body; answered with HTTP 400. */
export const HEADER_MISMATCH = -32020;

/** The body field that `Mcp-Name` must repeat, by method. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

export interface HeaderMismatch {
  readonly message: string;
  readonly data: { readonly mismatch: { readonly header: string; readonly body: string } };
}

export const singleHeader = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
};

/**
 * Checks the headers that a 2026-07-28 request must repeat from its body, after the SDK's classifier has compared those
 * that are present: here their absence, and `Mcp-Name`. Undefined when they agree.
 */
export function checkStandardHeaders(
  headers: IncomingHttpHeaders,
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
): HeaderMismatch | undefined {
  if (headers['mcp-protocol-version'] === undefined) {
    return mismatch(
      '(missing)',
      'the body claims a protocol version but the required MCP-Protocol-Version header is absent',
    );
  }
  if (headers['mcp-method'] === undefined) {
    return mismatch('(missing)', `the body names method ${method} but the required Mcp-Method header is absent`);
  }
  const field = NAMED_BY.get(method);
  if (field === undefined) return undefined;
  const named = params?.[field];
  const header = singleHeader(headers, 'mcp-name');
  if (header === undefined) {
    if (typeof named !== 'string') return undefined;
    return mismatch(
      '(missing)',
      `the body carries params.${field}="${named}" but the required Mcp-Name header is absent`,
    );
  }
  const decoded = decode(header);
  if (decoded === undefined) return mismatch(header, 'the Mcp-Name header carries an invalid Base64 sentinel value');
  if (typeof named === 'string' && decoded !== named) {
    return mismatch(header, `the body carries params.${field}="${named}" but the Mcp-Name header names "${decoded}"`);
  }
  return undefined;
}

const mismatch = (header: string, body: string): HeaderMismatch => ({
  message: `Bad Request: the request headers and body disagree: ${body}`,
  data: { mismatch: { header, body } },
});
