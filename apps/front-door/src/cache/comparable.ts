import type { ToolResult } from '@portico/contracts';
import { canonicalJson } from './canonical-json.js';

/** Steps of a path such as `$.items[*].age`: names, places, or `*` for every one. */
const stepsOf = (path: string): string[] =>
  path
    .replace(/^\$/, '')
    .split(/\.|\[|\]/)
    .filter((step) => step !== '')
    .map((step) => step.replace(/^(['"])(.*)\1$/, '$2'));

/** The value without what the path leads to; what is left is shared with the value. */
function without(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const leads = (key: string): boolean => step === '*' || step === key;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    if (!leads(key)) return [[key, member]];
    return rest.length === 0 ? [] : [[key, without(member, rest)]];
  });
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}

/**
 * What a result says, as text that can be compared: its content and structured content without the paths that the policy
 * calls volatile. A text block that holds JSON is looked into.
 */
export function comparable({ content, structuredContent }: ToolResult, volatile: readonly string[]): string {
  const paths = volatile.map(stepsOf).filter((steps) => steps.length > 0);
  const stable = (value: unknown): unknown => paths.reduce(without, value);
  const blocks = (content ?? []).map((block) =>
    block.type === 'text' ? stable(parsed(block['text'])) : { ...block, _meta: undefined },
  );
  return canonicalJson([blocks, stable(structuredContent ?? null)]);
}

const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
};
