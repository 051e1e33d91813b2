import type { ToolResult } from '@portico/contracts';
import { isRecord } from './mcp-request.js';
import { cutAt, redact } from './redact.js';

type Block = NonNullable<ToolResult['content']>[number];

/** Most characters of text that an error's content, or its structured output, may have. */
const TEXT_LIMIT = 8_192;
const BLOCK_LIMIT = 100;
const CUT = '… [cut]';
/** Keys whose text is data or a name of the protocol's, never prose, by the type of the block they are in. */
const EXACT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['image', new Set(['type', 'data', 'mimeType'])],
  ['audio', new Set(['type', 'data', 'mimeType'])],
  ['resource', new Set(['type', 'blob', 'mimeType'])],
]);
const TYPE_ALONE: ReadonlySet<string> = new Set(['type']);
const NOTHING: ReadonlySet<string> = new Set();
const DEPTH_LIMIT = 32;

/** Characters that may still be shown; every value costs one besides its text. */
interface Budget {
  left: number;
}

const bounded = (text: string, budget: Budget): string => {
  const clean = redact(text);
  const kept = clean.length <= budget.left ? clean : `${cutAt(clean, budget.left)}${CUT}`;
  budget.left -= clean.length;
  return kept;
};

const walk = (value: unknown, budget: Budget, exact: ReadonlySet<string>, depth = 0): unknown => {
  budget.left -= 1;
  if (budget.left < 0 || depth > DEPTH_LIMIT) return CUT;
  if (typeof value === 'string') return bounded(value, budget);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, budget, exact, depth + 1));
  const entries = Object.entries(value).map(([key, child]) => {
    const kept = typeof child === 'string' && exact.has(key);
    return [key, kept ? child : walk(child, budget, exact, depth + 1)] as const;
  });
  return Object.fromEntries(entries);
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

/** The content of a tool's error, its texts redacted and together bounded. Blocks beyond those are cut, as a last one says. */
export const redactedContent = (content: readonly Block[]): Block[] => {
  const budget = { left: TEXT_LIMIT };
  const blocks: Block[] = [];
  for (const block of content) {
    if (budget.left <= 0 || blocks.length === BLOCK_LIMIT) return [...blocks, { type: 'text', text: CUT }];
    blocks.push(walk(block, budget, EXACT.get(block.type) ?? TYPE_ALONE) as Block);
  }
  return blocks;
};

/** The structured output of a tool's error, in its own shape; `undefined` when it is too large to be kept so. */
export const redactedValue = (value: unknown): unknown => {
  const budget = { left: TEXT_LIMIT };
  const kept = walk(value, budget, NOTHING);
  return budget.left < 0 ? undefined : kept;
};
