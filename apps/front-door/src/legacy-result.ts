import type { McpToolResult } from './mcp-tool-result.js';
import { isRecord } from './mcp-request.js';

/**
 * A complete result as 2025 clients know it: no `resultType`, and structured output that is an object. What is none, or
 * was announced with a wrapped schema, is under `result`, as the SDK's server does it.
 */
export const legacyResult = (result: McpToolResult, wrapsOutput: boolean): McpToolResult => {
  const { resultType: _since2026, ...rest } = result;
  const output = rest.structuredContent;
  if (output === undefined || (!wrapsOutput && isRecord(output))) return rest;
  return { ...rest, structuredContent: { result: output } };
};
