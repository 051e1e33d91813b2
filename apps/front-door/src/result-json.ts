import { ENVELOPE_META_KEY, type Envelope } from '@portico/contracts';
import type { McpToolResult } from './mcp-tool-result.js';
import { SERVER_INFO, SERVER_INFO_JSON, SERVER_INFO_META_KEY } from './server-info.js';

export const envelopeOf = (result: McpToolResult): Envelope => result._meta[ENVELOPE_META_KEY] as Envelope;

/** The JSON of a result, as `JSON.stringify` writes it; the envelope, which it mostly carries twice, is written once. */
export function resultJson(result: McpToolResult): string {
  const envelope = envelopeOf(result);
  const envelopeJson = JSON.stringify(envelope);
  let json = '';
  for (const key in result) {
    const value = result[key];
    const text =
      value === envelope
        ? envelopeJson
        : key === '_meta'
          ? metaJson(result._meta, envelopeJson)
          : JSON.stringify(value);
    if (text !== undefined) json += `${json === '' ? '{' : ','}${JSON.stringify(key)}:${text}`;
  }
  return `${json}}`;
}

function metaJson(meta: Record<string, unknown>, envelopeJson: string): string {
  let json = '';
  for (const key in meta) {
    const value = meta[key];
    const text =
      key === ENVELOPE_META_KEY
        ? envelopeJson
        : key === SERVER_INFO_META_KEY && value === SERVER_INFO
          ? SERVER_INFO_JSON
          : JSON.stringify(value);
    if (text !== undefined) json += `${json === '' ? '{' : ','}${JSON.stringify(key)}:${text}`;
  }
  return `${json}}`;
}
