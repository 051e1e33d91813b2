import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { RequestStateCodec, Result, ServerContext } from '@modelcontextprotocol/server';
import type { Round } from './fixture-item.js';
import { PROMPTS } from './prompts.js';
import { readResource, RESOURCE_TEMPLATES, RESOURCES } from './resources.js';
import { TOOLS } from './tools.js';

const LIST_HINT = { ttlMs: 30_000, cacheScope: 'public' } as const;

/** What the servers of one fixture have in common: the seal of request states, and the way to announce changes. */
export interface FixtureShared {
  readonly states: RequestStateCodec;
  /** How often each list has been changed: shown in the list, so that what is announced has really happened. */
  readonly changes: Readonly<Record<'tools' | 'prompts', number>>;
  announce(list: 'tools' | 'prompts'): void;
}

/** A server with everything the conformance suite asks for: for one request in 2026, for one session in 2025. */
export function fixtureServer(era: 'modern' | 'legacy', shared: FixtureShared): Server {
  const server = new Server(
    { name: 'portico-conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      instructions: 'A server to test with.',
      requestState: { verify: shared.states.verify },
      cacheHints: {
        'server/discover': LIST_HINT,
        'tools/list': LIST_HINT,
        'prompts/list': LIST_HINT,
        'resources/list': LIST_HINT,
        'resources/templates/list': LIST_HINT,
        'resources/read': { ttlMs: 0, cacheScope: 'private' },
      },
    },
  );
  const roundOf = (given: Readonly<Record<string, unknown>> | undefined, context: ServerContext): Round => ({
    arguments: given ?? {},
    context,
    sealState: (state) => shared.states.mint(state, context),
    announce: (list) => shared.announce(list),
  });

  server.setRequestHandler('tools/list', () => ({
    tools: TOOLS.map(({ run: _, ...shown }) =>
      changed(shown, 'test_trigger_tool_change', shared.changes.tools),
    ) as never,
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return asAnswer(await tool.run(roundOf(params.arguments, context)));
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ get: _, ...shown }) =>
      changed(shown, 'test_simple_prompt', shared.changes.prompts),
    ) as never,
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    return asAnswer(await prompt.get(roundOf(params.arguments, context)));
  });
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }) => readResource(params.uri));
  server.setRequestHandler('completion/complete', ({ params }) => complete(params.argument.value));
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  return server;
}

/** The tables hold plain results of both kinds, complete and interim; the SDK checks their shape as they leave. */
const asAnswer = (result: Result) => result as never;

/** One item of each list tells how often the list has changed. */
function changed<T extends { name: string; description: string }>(item: T, which: string, times: number): T {
  return item.name === which ? { ...item, description: `${item.description} (${times} changes so far)` } : item;
}

const WORDS = ['paris', 'park', 'party', 'test', 'tester'];

function complete(beginning: string) {
  const values = WORDS.filter((word) => word.startsWith(beginning));
  return { completion: { values, total: values.length, hasMore: false } };
}
