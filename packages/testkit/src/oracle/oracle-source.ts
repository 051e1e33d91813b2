import { Fault } from '@portico/contracts';
import type { SourceCatalogue } from '@portico/contracts';
import type { OracleBackend } from './oracle-server.js';

const read = { effect: 'read' } as const;
const tool = (name: string, more: Record<string, unknown> = {}) => ({
  definition: { name, description: `The tool ${name}`, inputSchema: { type: 'object', properties: {} }, ...more },
  policy: read,
});

/**
 * A source with one of each kind of tool, resource and prompt whose answers are worth comparing, mounted at the root so
 * that names are the same with and without a front door before it.
 */
export const ORACLE_CATALOGUE: SourceCatalogue = {
  revision: 'oracle-1',
  identity: {
    description: 'Something of each kind',
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    mount: 'root',
    callTimeoutMs: 10_000,
  },
  tools: [
    tool('echo', {
      title: 'Echo',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      annotations: { readOnlyHint: true, title: 'Says it again' },
      _meta: { 'com.example/owner': 'tests' },
    }),
    tool('fail'),
    tool('many', { description: 'Text, an image and a resource' }),
    tool('progress'),
    tool('region', {
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          count: { type: 'integer', 'x-mcp-header': 'Count' },
          deep: { type: 'object', properties: { flag: { type: 'boolean', 'x-mcp-header': 'Flag' } } },
        },
      },
    }),
    tool('sum', {
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { operand: { type: 'number' } },
        properties: { a: { $ref: '#/$defs/operand' }, b: { $ref: '#/$defs/operand' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    }),
    tool('with.dots-and_more'),
  ],
  resources: [
    { uri: 'test://a/text', name: 'text', description: 'Some text', mimeType: 'text/plain' },
    { uri: 'test://b/bytes', name: 'bytes', mimeType: 'application/octet-stream', _meta: { 'com.example/size': 4 } },
    { uri: 'test://c/%C3%BC?q=1#part', name: 'odd' },
  ],
  resourceTemplates: [{ uriTemplate: 'test://item/{id}', name: 'item', description: 'One item' }],
  prompts: [
    { name: 'greet', description: 'Greets', arguments: [{ name: 'who', description: 'Whom', required: false }] },
    { name: 'plain', description: 'Says one thing' },
  ],
};

/** What the tools and items of `ORACLE_CATALOGUE` do. Nothing here depends on anything but what is asked. */
export const ORACLE_BACKEND: OracleBackend = {
  callTool: async ({ tool: name, arguments: given }, notify) => {
    await Promise.resolve();
    switch (name) {
      case 'fail':
        return { content: [{ type: 'text', text: 'It went wrong.' }], isError: true };
      case 'many':
        return {
          content: [
            { type: 'text', text: 'One of each:', annotations: { audience: ['user'], priority: 0.5 } },
            { type: 'image', data: 'AAAA', mimeType: 'image/png' },
            { type: 'resource', resource: { uri: 'test://x', mimeType: 'text/plain', text: 'inside' } },
          ],
          _meta: { 'com.example/kept': true },
        };
      case 'progress':
        for (const progress of [1, 2, 3]) notify({ method: 'notifications/progress', params: { progress, total: 3 } });
        return { content: [{ type: 'text', text: 'done' }] };
      case 'sum': {
        const sum = Number(given['a']) + Number(given['b']);
        const structuredContent = { sum: Number.isFinite(sum) ? sum : 0 };
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
      }
      default:
        return { content: [{ type: 'text', text: `${name} ${JSON.stringify(given)}` }] };
    }
  },
  readResource: (uri) => {
    if (uri === 'test://b/bytes') {
      return { contents: [{ uri, mimeType: 'application/octet-stream', blob: 'AAECAw==' }] };
    }
    const known = ORACLE_CATALOGUE.resources.some((resource) => resource.uri === uri);
    const item = /^test:\/\/item\/([^/]+)$/.exec(uri)?.[1];
    if (!known && item === undefined) return undefined;
    return { contents: [{ uri, mimeType: 'text/plain', text: item ?? 'some text' }] };
  },
  getPrompt: (name, given) => {
    const who = given['who'];
    if (who !== undefined && typeof who !== 'string') throw new Fault('INVALID_ARGUMENTS', 'who must be a string.');
    const text = name === 'greet' ? `Hello, ${who ?? 'you'}!` : 'One thing.';
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  },
  complete: (value) => ({ completion: { values: ['anna', 'arno', 'ben'].filter((name) => name.startsWith(value)) } }),
};
