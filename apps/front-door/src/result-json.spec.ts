import { describe, expect, it } from '@jest/globals';
import { Fault, type ToolResult } from '@portico/contracts';
import { type CallFacts, fail, succeed } from './envelope.js';
import { resultJson } from './result-json.js';

const facts = (over: Partial<CallFacts> = {}): CallFacts => ({
  tool: { domain: 'files', tool: 'read', policy: { effect: 'read' }, declaresOutput: false, wrapsOutput: false },
  context: { correlationId: 'c-1', principal: { tenant: 't', subject: 's' } },
  era: 'modern',
  servedFrom: 'backend',
  durationMs: 1.5,
  ...over,
});
const RESULTS: ToolResult[] = [
  { content: [{ type: 'text', text: 'a "quoted" line\n\u2028 and half a \ud800 character' }] },
  { content: [], structuredContent: { rows: [1, null, { deep: true }] }, _meta: { 'x/y': [1], gone: undefined } },
  { structuredContent: null, 'x-more': { a: 1 }, left: undefined, 'odd "key"': 1 },
  { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create' } } },
  { content: [{ type: 'text', text: 'went wrong' }], isError: true },
  JSON.parse('{"content":[],"__proto__":{"own":1},"_meta":{"__proto__":2}}') as ToolResult,
];

describe('[FD-20] a result as text', () => {
  it.each(RESULTS)('is what JSON.stringify makes of it: %j', (result) => {
    for (const era of ['modern', 'legacy'] as const) {
      const answer = succeed(result, facts({ era }));
      expect(resultJson(answer)).toBe(JSON.stringify(answer));
    }
  });

  it('is so for a failure too', () => {
    const answer = fail(new Fault('TIMEOUT', 'Too late.'), facts());
    expect(resultJson(answer)).toBe(JSON.stringify(answer));
  });
});
