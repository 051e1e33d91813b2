import type { ToolResult } from '@portico/contracts';

/** A `tools/call` result as it goes to the client. */
export interface McpToolResult extends ToolResult {
  _meta: Record<string, unknown>;
}
