import { NO_ARGUMENTS, text } from './fixture-item.js';
import type { FixtureTool } from './fixture-item.js';
import { RED_PIXEL_PNG, SILENT_WAV } from './media.js';

const image = { type: 'image', data: RED_PIXEL_PNG, mimeType: 'image/png' };

/** Uses every keyword of JSON Schema 2020-12 that implementations are known to lose on the way. */
const DEMANDING_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Tools that answer at once, one for each kind of content and of schema. */
export const CONTENT_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_simple_text',
    description: 'Answers with one line of text',
    inputSchema: NO_ARGUMENTS,
    run: () => text('This is a simple text response for testing.'),
  },
  {
    name: 'test_image_content',
    description: 'Answers with a PNG of one red pixel',
    inputSchema: NO_ARGUMENTS,
    run: () => ({ content: [image] }),
  },
  {
    name: 'test_audio_content',
    description: 'Answers with a moment of silence as WAV',
    inputSchema: NO_ARGUMENTS,
    run: () => ({ content: [{ type: 'audio', data: SILENT_WAV, mimeType: 'audio/wav' }] }),
  },
  {
    name: 'test_embedded_resource',
    description: 'Answers with a resource inside the result',
    inputSchema: NO_ARGUMENTS,
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  {
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource',
    inputSchema: NO_ARGUMENTS,
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  },
  {
    name: 'test_error_handling',
    description: 'Always fails, as a tool fails: in its result',
    inputSchema: NO_ARGUMENTS,
    run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has an input schema with the keywords that get lost',
    inputSchema: DEMANDING_SCHEMA,
    run: ({ arguments: given }) => text(`Called with ${JSON.stringify(given)}`),
  },
  {
    name: 'test_x_mcp_header',
    description: 'Has an argument that an HTTP client repeats in the header Mcp-Param-Region',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', description: 'Where to look', 'x-mcp-header': 'Region' },
        query: { type: 'string', description: 'What to look for' },
      },
      required: ['region'],
    },
    run: ({ arguments: { region } }) => text(`Looked in ${String(region)}`),
  },
];
