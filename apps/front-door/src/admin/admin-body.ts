import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { BodyError, DEPTH_LIMIT, readJsonBody } from '../read-body.js';
import { type AdminAnswer, refusal } from './admin-answer.js';

/** Longest part of a field's name that is said back. */
const SHOWN_CHARACTERS = 64;

export type CheckedBody =
  | { readonly value: Record<string, unknown> }
  | { readonly refused: AdminAnswer }
  /** The client has gone. */
  | undefined;

/** Reads what a POST to `/api` says and checks it by `schema`; the first thing that is wrong refuses it, by its field. */
export async function readAdminBody(
  req: IncomingMessage,
  schema: z.ZodObject,
  limitBytes: number,
): Promise<CheckedBody> {
  if (!isJsonContentType(req.headers['content-type'])) {
    return { refused: refusal(415, 'UNSUPPORTED', 'The Content-Type must be application/json.') };
  }
  let body: unknown;
  try {
    body = await readJsonBody(req, limitBytes);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return unread(error, limitBytes);
  }
  const checked = schema.safeParse(body);
  if (checked.success) return { value: checked.data };
  const [issue] = checked.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const field = String(issue.keys[0]).slice(0, SHOWN_CHARACTERS);
    return { refused: refusal(400, 'UNKNOWN_FIELD', `${JSON.stringify(field)} is not known here.`, { field }) };
  }
  const field = String(issue?.path[0] ?? 'body');
  const takes = issue?.code === 'invalid_type' ? issue.expected : 'value of another kind';
  return invalid(field, `"${field}" takes ${takes === 'object' ? 'an' : 'a'} ${takes}.`);
}

function unread({ problem }: BodyError, limitBytes: number): CheckedBody {
  switch (problem) {
    case 'aborted':
      return undefined;
    case 'too-large':
      // The rest of the body is not read, so the connection can not be used again.
      return {
        refused: refusal(413, 'PAYLOAD_TOO_LARGE', `The request body is larger than ${limitBytes} bytes.`, {
          headers: { Connection: 'close' },
        }),
      };
    case 'too-deep':
      return invalid('body', `The body nests deeper than ${DEPTH_LIMIT} levels.`);
    case 'not-utf8':
      return invalid('body', 'The body is not valid UTF-8.');
    case 'empty':
    case 'not-json':
      return invalid('body', 'The body is not valid JSON.');
  }
}

const invalid = (field: string, message: string): CheckedBody => ({
  refused: refusal(400, 'INVALID_FIELD', message, { field }),
});
