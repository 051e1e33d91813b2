import { answer, ask, form, sample, sampled } from './asking.js';
import type { Question } from './asking.js';
import { NO_ARGUMENTS, text } from './fixture-item.js';
import type { FixtureTool, Round } from './fixture-item.js';

const titled = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([value, title]) => ({ const: value, title }));

const DEFAULTS_FORM = form(
  'Please review the values, all of which have a default',
  {
    name: { type: 'string', description: 'Your name', default: 'John Doe' },
    age: { type: 'integer', description: 'Your age', default: 30 },
    score: { type: 'number', description: 'Your score', default: 95.5 },
    status: { type: 'string', description: 'Your status', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Whether you are verified', default: true },
  },
  [],
);

const ENUMS_FORM = form(
  'Please choose',
  {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: titled({ value1: 'First Option', value2: 'Second Option', value3: 'Third Option' }),
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled({ value1: 'First Choice', value2: 'Second Choice', value3: 'Third Choice' }) },
    },
  },
  [],
);

function outcomeOf(round: Round, prefix: string, question: Question) {
  const given = answer(round, 'form');
  if (!given) return ask({ form: question });
  return text(`${prefix}: action=${String(given['action'])}, content=${JSON.stringify(given['content'] ?? {})}`);
}

/** Tools that need the client's model or user: by a request of the server in 2025, by an interim result in 2026. */
export const CLIENT_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_sampling',
    description: "Passes a prompt to the client's model and answers with what it said",
    inputSchema: {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'What to ask the model' } },
      required: ['prompt'],
    },
    run: (round) => {
      if (!answer(round, 'completion')) return ask({ completion: sample(String(round.arguments['prompt'])) });
      return text(`LLM response: ${sampled(round, 'completion') ?? 'no text'}`);
    },
  },
  {
    name: 'test_elicitation',
    description: 'Asks the user for a name and an address',
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string', description: 'What the user is shown' } },
      required: ['message'],
    },
    run: (round) =>
      outcomeOf(
        round,
        'User response',
        form(String(round.arguments['message']), {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        }),
      ),
  },
  {
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks the user with a default for each kind of value',
    inputSchema: NO_ARGUMENTS,
    run: (round) => outcomeOf(round, 'Elicitation completed', DEFAULTS_FORM),
  },
  {
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks the user with each way to write a choice',
    inputSchema: NO_ARGUMENTS,
    run: (round) => outcomeOf(round, 'Elicitation completed', ENUMS_FORM),
  },
];
