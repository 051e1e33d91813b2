import { accepted, answer, ask, declaredCapabilities, form, listRoots, sample, sampled } from './asking.js';
import type { Question } from './asking.js';
import { NO_ARGUMENTS, text } from './fixture-item.js';
import type { FixtureTool } from './fixture-item.js';

const NAME_FORM = form('What is your name?', { name: { type: 'string' } });
const CONFIRM_FORM = form('Please confirm', { ok: { type: 'boolean' } });

/** Answers `state-ok` only when the sealed state came back intact; what was tampered with is refused before. */
const confirmed = (name: string): FixtureTool => ({
  name: `test_input_required_result_${name}`,
  description: 'Asks for a confirmation and wants its sealed state back',
  inputSchema: NO_ARGUMENTS,
  run: async (round) => {
    const state = round.context.mcpReq.requestState<{ tool?: string }>();
    if (accepted(round, 'confirm') && state?.tool === name) return text('state-ok');
    return ask({ confirm: CONFIRM_FORM }, await round.sealState({ tool: name }));
  },
});

/** Tools of the 2026 revision that answer with a question first, each in its own way. */
export const INPUT_REQUIRED_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_input_required_result_elicitation',
    description: 'Asks for a name and greets it',
    inputSchema: NO_ARGUMENTS,
    run: (round) => {
      const name = accepted(round, 'user_name')?.['name'];
      return typeof name === 'string' ? text(`Hello, ${name}!`) : ask({ user_name: NAME_FORM });
    },
  },
  {
    name: 'test_input_required_result_sampling',
    description: "Asks the client's model for a capital",
    inputSchema: NO_ARGUMENTS,
    run: (round) => {
      const said = sampled(round, 'capital_question');
      if (said !== undefined) return text(said);
      return ask({ capital_question: sample('What is the capital of France?') });
    },
  },
  {
    name: 'test_input_required_result_list_roots',
    description: "Asks for the client's roots and names them",
    inputSchema: NO_ARGUMENTS,
    run: (round) => {
      const roots = answer(round, 'client_roots')?.['roots'];
      return Array.isArray(roots) ? text(`Roots: ${JSON.stringify(roots)}`) : ask({ client_roots: listRoots });
    },
  },
  confirmed('request_state'),
  confirmed('tampered_state'),
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks the user, the model and the client in one round',
    inputSchema: NO_ARGUMENTS,
    run: async (round) => {
      const questions: Record<string, Question> = {
        user_name: NAME_FORM,
        greeting: sample('Generate a greeting', 50),
        client_roots: listRoots,
      };
      if (Object.keys(questions).every((key) => answer(round, key))) return text('All three have answered.');
      return ask(questions, await round.sealState({ tool: 'multiple_inputs' }));
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice, one round after the other',
    inputSchema: NO_ARGUMENTS,
    run: async (round) => {
      const state = round.context.mcpReq.requestState<{ step?: number; name?: unknown }>();
      const color = accepted(round, 'step2');
      if (state?.step === 2 && color) return text(`${String(state.name)} likes ${String(color['color'])}.`);
      const name = accepted(round, 'step1');
      if (state?.step === 1 && name) {
        const question = form('Step 2: What is your favorite color?', { color: { type: 'string' } });
        return ask({ step2: question }, await round.sealState({ step: 2, name: name['name'] }));
      }
      const question = form('Step 1: What is your name?', { name: { type: 'string' } });
      return ask({ step1: question }, await round.sealState({ step: 1 }));
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks only what the client has declared that it can answer',
    inputSchema: NO_ARGUMENTS,
    run: (round) => {
      const can = declaredCapabilities(round);
      const questions: Record<string, Question> = {
        ...(can['elicitation'] !== undefined && { user_name: NAME_FORM }),
        ...(can['sampling'] !== undefined && { greeting: sample('Generate a greeting', 50) }),
        ...(can['roots'] !== undefined && { client_roots: listRoots }),
      };
      const keys = Object.keys(questions);
      if (keys.length === 0) return text('The client can answer nothing.');
      return keys.every((key) => answer(round, key)) ? text('All that could has answered.') : ask(questions);
    },
  },
];
