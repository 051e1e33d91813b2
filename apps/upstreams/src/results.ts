import { CUT_META_KEY, type ToolResult } from '@portico/contracts';

type Block = NonNullable<ToolResult['content']>[number];

/**
 * What an upstream's result becomes: text beyond `limit` characters, all text blocks together, is cut and says so; a
 * success without any output says that. All else, errors included, passes as it came.
 */
export function shapedResult(result: ToolResult, limit: number): ToolResult {
  if (result.resultType !== undefined && result.resultType !== 'complete') return result;
  const { content = [] } = result;
  if (isEmpty(content)) {
    if (result.structuredContent !== undefined || result.isError) return result;
    return { ...result, content: [{ type: 'text', text: '[ok] (no output)' }] };
  }
  const total = content.reduce((sum, block) => sum + textOf(block).length, 0);
  return total <= limit
    ? result
    : { ...result, content: cut(content, limit, total), _meta: { ...result._meta, [CUT_META_KEY]: true } };
}

const textOf = (block: Block): string =>
  block.type === 'text' && typeof block['text'] === 'string' ? block['text'] : '';

const isEmpty = (content: readonly Block[]): boolean =>
  content.every((block) => block.type === 'text' && textOf(block) === '');

/** Keeps the first `limit` characters of text, with the marker where they end, and every block that is not text. */
function cut(content: readonly Block[], limit: number, total: number): Block[] {
  let left = limit;
  let marked = false;
  return content.flatMap((block) => {
    const text = textOf(block);
    if (text === '') return [block];
    if (marked) return [];
    if (text.length <= left) {
      left -= text.length;
      return [block];
    }
    marked = true;
    const kept = whole(text.slice(0, left));
    const shown = limit - left + kept.length;
    return [{ ...block, text: `${kept}\n[cut: ${total - shown} of ${total} characters left out]` }];
  });
}

/** Without the first half of a surrogate pair at its end. */
const whole = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);
