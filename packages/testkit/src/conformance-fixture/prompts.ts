import { accepted, ask, form } from './asking.js';
import type { FixturePrompt } from './fixture-item.js';
import { RED_PIXEL_PNG } from './media.js';

const user = (content: Readonly<Record<string, unknown>>) => ({ role: 'user', content });
const says = (value: string) => user({ type: 'text', text: value });

/** The prompts that the conformance suite asks for, by name. */
export const PROMPTS: readonly FixturePrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'One line and no arguments',
    get: () => ({ messages: [says('This is a simple prompt for testing.')] }),
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Repeats its two arguments',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: ({ arguments: { arg1, arg2 } }) => ({
      messages: [says(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)],
    }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Carries the resource that it is asked for',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    get: ({ arguments: { resourceUri } }) => ({
      messages: [
        user({
          type: 'resource',
          resource: {
            uri: String(resourceUri),
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        says('Please process the embedded resource above.'),
      ],
    }),
  },
  {
    name: 'test_prompt_with_image',
    description: 'Carries an image',
    get: () => ({
      messages: [
        user({ type: 'image', data: RED_PIXEL_PNG, mimeType: 'image/png' }),
        says('Please analyze the image above.'),
      ],
    }),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks the user before it answers',
    get: (round) => {
      const context = accepted(round, 'user_context')?.['context'];
      if (typeof context === 'string') return { messages: [says(`Use this context: ${context}`)] };
      return ask({ user_context: form('What context should the prompt use?', { context: { type: 'string' } }) });
    },
  },
];
