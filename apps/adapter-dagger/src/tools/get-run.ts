import { cutText, defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { DispatcherClient } from '../client.js';
import { runView } from '../views.js';
import { RunId } from './arguments.js';

const MOST_STEPS = 200;
const LONGEST_ERROR = 4_000;

export const getRun = (dispatcher: DispatcherClient) =>
  defineTool({
    name: 'get_run',
    description: `One run as it is now: status and conclusion, its steps, and the error that ended it. At most ${MOST_STEPS} steps are shown; steps_from shows those that follow. dagger.get_logs has what it wrote.`,
    input: z.object({
      run_id: RunId,
      steps_from: z.int().min(0).max(1_000_000).default(0).describe('step that the list begins with, from 0'),
    }),
    effect: 'read',
    staleness: 'stale',
    async handle({ run_id, steps_from }, scope) {
      const run = await dispatcher.run(run_id, scope);
      const steps = run.steps ?? [];
      const shown = steps.slice(steps_from, steps_from + MOST_STEPS);
      const next = steps_from + shown.length;
      return {
        ...runView(run),
        started_at: given(run.started_at),
        error: run.error
          ? {
              message: cutText(run.error.message, 0, LONGEST_ERROR, () => 'dagger.get_logs has what the run wrote'),
              step: given(run.error.step),
            }
          : undefined,
        steps: shown.map((step) => ({
          name: step.name,
          status: step.status,
          conclusion: given(step.conclusion),
          started_at: given(step.started_at),
          finished_at: given(step.finished_at),
        })),
        next_steps_from: next < steps.length ? next : undefined,
        trace_url: given(run.trace_url),
        dagger_version: given(run.dagger_version),
      };
    },
  });
