import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server, createMcpHandler } from '@modelcontextprotocol/server';
import { serve } from './listening.mjs';

// The same echo served by nothing but the SDK, in the leanest way it offers that keeps results unparsed.

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'sdk-only', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.fallbackRequestHandler = async (request) => {
    const { text } = /** @type {{ arguments: { text: string } }} */ (request.params).arguments;
    return { content: [{ type: 'text', text }] };
  };
  return server;
});
const node = toNodeHandler(handler);

serve((request, response) => void node(request, response));
