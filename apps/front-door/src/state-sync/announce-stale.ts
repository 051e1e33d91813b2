import { type ToolResult, wentStale } from '@portico/contracts';
import type { FrontDoor } from '../front-door.js';
import { dataAsText } from '../envelope.js';
import type { PublishedTool } from '../published-tool.js';

/**
 * Tells who listens, and in the result who asked, what a successful mutation has made stale. Only after the cache was told:
 * whoever reads again because of it must not be given what was there before.
 */
export function announceStale(tool: PublishedTool, result: ToolResult, tenant: string, { bus }: FrontDoor): ToolResult {
  const { effect, invalidates = [] } = tool.policy;
  if (effect === 'read' || invalidates.length === 0 || !isSuccess(result)) return result;
  bus.tell(wentStale, { tenant, patterns: invalidates });
  const tag = { type: 'text', text: invalidationTag(tool.published, invalidates) };
  // First, where cutting a long result short can not take it away.
  return { ...result, content: [tag, ...(result.content ?? [dataAsText(result)])] };
}

const isSuccess = ({ isError, resultType }: ToolResult): boolean =>
  isError !== true && (resultType === undefined || resultType === 'complete');

const invalidationTag = (cause: string, patterns: readonly string[]): string =>
  `<cache_invalidation cause="${escaped(cause)}" domains="${escaped(patterns.join(','))}" />`;

const escaped = (text: string): string =>
  text.replace(/[&<>"'\p{Cc}]/gu, (character) => `&#${character.codePointAt(0)};`);
