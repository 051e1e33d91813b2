import type { IncomingHttpHeaders } from 'node:http';
import type { ParamHeader } from './param-declarations.js';

/** Answered as HeaderMismatch, -32020, with HTTP 400. */
export interface ParamHeaderRejection {
  readonly message: string;
  readonly data: { readonly mismatch: { readonly header: string; readonly body: string } };
}

const SENTINEL = /^=\?base64\?(.*)\?=$/s;
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The value that a header stands for; `undefined` when it claims to be Base64 and is not. */
export const decode = (value: string): string | undefined => {
  const payload = SENTINEL.exec(value)?.[1];
  if (payload === undefined) return value;
  if (!CANONICAL_BASE64.test(payload)) return undefined;
  try {
    return utf8.decode(Buffer.from(payload, 'base64'));
  } catch {
    return undefined;
  }
};

const ownAt = (root: unknown, path: readonly string[]): unknown => {
  let node = root;
  for (const key of path) {
    if (node === null || typeof node !== 'object' || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
};

/** How a client writes a value into a header; `undefined` for one it must not send. */
const spell = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
};

const reject = (header: string, body: string): ParamHeaderRejection => ({
  message: `Bad Request: the request headers and body disagree: ${body}`,
  data: { mismatch: { header, body } },
});

/**
 * Compares the `Mcp-Param-*` headers of a 2026-07-28 `tools/call` with the arguments they mirror: `undefined` when they
 * agree. An argument that is absent or null expects no header; a header for it, or one nobody declared, is ignored.
 */
export const checkParamHeaders = (
  declarations: readonly ParamHeader[],
  args: unknown,
  headers: IncomingHttpHeaders,
): ParamHeaderRejection | undefined => {
  for (const { path, header, key, type } of declarations) {
    const value = ownAt(args, path);
    const expected = spell(value);
    if (expected === undefined) continue;
    const carried = `${path.join('.')}=${JSON.stringify(value)}`;
    const given = headers[key];
    const raw = Array.isArray(given) ? given.join(', ') : given;
    if (raw === undefined) return reject(header, `the body carries ${carried} but the ${header} header is absent`);
    const decoded = decode(raw);
    if (decoded === undefined) return reject(header, `the ${header} header carries an invalid Base64 sentinel value`);
    const numeric = type === 'integer' && typeof value === 'number' && DECIMAL.test(decoded);
    if (numeric ? Number(decoded) !== value : decoded !== expected)
      return reject(
        header,
        `the ${header} header decodes to ${JSON.stringify(decoded)} but the body carries ${carried}`,
      );
  }
  return undefined;
};
