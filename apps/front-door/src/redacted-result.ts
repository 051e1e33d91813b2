import type { ToolResult } from '@portico/contracts';
import { isRecord } from './mcp-request.js';
import { cutAt, redact } from './redact.js';

type Block = NonNullable<ToolResult['content']>[number];

/** Most characters of text that an error's content, or its structured output, may have. */
const TEXT_LIMIT = 8_192;
const CUT = '… [cut]';
/** Keys whose text is data or a name of the protocol's, never prose. */
const EXACT: ReadonlySet<string> = new Set(['type', 'data', 'blob', 'mimeType', 'role']);
const DEPTH_LIMIT = 32;

interface Budget {
  left: number;
}

const bounded = (text: string, budget: Budget): string => {
  if (budget.left <= 0) return CUT;
  const clean = redact(text);
  const fits = clean.length <= budget.left;
  const kept = fits ? clean : `${cutAt(clean, budget.left)}${CUT}`;
  budget.left -= clean.length;
  return kept;
};

const walk = (value: unknown, budget: Budget, depth: number): unknown => {
  if (typeof value === 'string') return bounded(value, budget);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH_LIMIT) return CUT;
  if (Array.isArray(value)) return value.map((item) => walk(item, budget, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, EXACT.has(key) ? child : walk(child, budget, depth + 1)]),
  );
};

/** The words of a tool's error, for `error.message`. */
export const errorText = ({ content, structuredContent }: ToolResult): string => {
  const texts = (content ?? []).flatMap((block) =>
    block.type === 'text' && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  if (texts.length > 0) return texts.join('\n');
  const message = isRecord(structuredContent)
    ? (structuredContent['message'] ?? structuredContent['error'])
    : undefined;
  return typeof message === 'string' ? message : 'The tool reported an error without saying which.';
};

/** The content of a tool's error, its texts redacted and together bounded. */
export const redactedContent = (content: readonly Block[]): Block[] => {
  const budget = { left: TEXT_LIMIT };
  return content.map((block) => walk(block, budget, 0) as Block);
};

/** The structured output of a tool's error, in its own shape; `undefined` when it is too large to be kept so. */
export const redactedValue = (value: unknown): unknown => {
  const budget = { left: TEXT_LIMIT };
  const kept = walk(value, budget, 0);
  return budget.left < 0 ? undefined : kept;
};
