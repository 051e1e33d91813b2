import { ENVELOPE_META_KEY } from '@portico/contracts';
import type { Exchange } from './exchange.js';

type Loose = Record<string, unknown>;

/** An answer without what is not compared: framing, wording, order of keys, and what the front door adds by design. */
export interface View {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly allow: string | undefined;
  readonly session: boolean;
  /** The messages of the body, in order, whether it was JSON or an event stream; a string when it is neither. */
  readonly messages: readonly unknown[];
}

/** Takes an answer apart. Additions of the front door are taken away where there are any. */
export function viewOf({ status, headers, body }: Exchange): View {
  const contentType = headers['content-type']?.split(';')[0]?.trim();
  return {
    status,
    contentType,
    allow: headers.allow,
    session: headers['mcp-session-id'] !== undefined,
    messages: messagesIn(contentType, body).map(withoutAdditions),
  };
}

function messagesIn(contentType: string | undefined, body: string): unknown[] {
  if (body === '') return [];
  if (contentType === 'text/event-stream') {
    const events = body.split('\n').filter((line) => line.startsWith('data:'));
    return events.map((line) => JSON.parse(line.slice(5)) as unknown);
  }
  return contentType === 'application/json' ? [JSON.parse(body) as unknown] : [body];
}

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withoutAdditions(message: unknown): unknown {
  if (!isObject(message)) return message;
  if (isObject(message['error'])) return { ...message, error: plainError(message['error']) };
  if (isObject(message['result'])) return { ...message, result: plainResult(message['result']) };
  return message;
}

/** Wording is each server's own; `data.code` is the front door's closed list (FD-22), tested by itself. */
function plainError({ message: _wording, data, ...rest }: Loose): Loose {
  if (!isObject(data)) return { ...rest, ...(data !== undefined && { data }) };
  const { code: _ours, mismatch: _words, ...others } = data;
  return Object.keys(others).length === 0 ? rest : { ...rest, data: others };
}

/** The envelope (FD-20, FD-21) and the front door's own tools (FD-27) and resources (SS-5) are tested by themselves. */
function plainResult(result: Loose): Loose {
  const { _meta, tools, resourceTemplates, ...rest } = result;
  const plain: Loose = rest;
  if (Array.isArray(tools))
    plain['tools'] = tools.filter((tool: Loose) => !String(tool['name']).startsWith('gateway.'));
  if (Array.isArray(resourceTemplates))
    plain['resourceTemplates'] = resourceTemplates.filter(
      (template: Loose) => !String(template['uriTemplate']).startsWith('portico:'),
    );
  if (!isObject(_meta)) return _meta === undefined ? plain : { ...plain, _meta };
  const { [ENVELOPE_META_KEY]: envelope, ...others } = _meta;
  if (Object.keys(others).length > 0) plain['_meta'] = others;
  if (envelope === undefined) return plain;
  const spelled = JSON.stringify(envelope);
  if (JSON.stringify(plain['structuredContent']) === spelled) delete plain['structuredContent'];
  const content = plain['content'];
  if (Array.isArray(content) && isObject(content.at(-1)) && (content.at(-1) as Loose)['text'] === spelled) {
    plain['content'] = content.slice(0, -1);
  }
  return plain;
}
