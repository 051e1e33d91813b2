import { defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { DispatcherClient } from '../client.js';
import { runView } from '../views.js';
import { Cursor, Name } from './arguments.js';

export const listRuns = (dispatcher: DispatcherClient) =>
  defineTool({
    name: 'list_runs',
    description:
      'Runs of Dagger pipelines, newest first, a page at a time: run_id, pipeline, status and conclusion, branch, commit, times. next_cursor is there when there are more. dagger.get_run has the steps of one, and why it failed.',
    input: z.object({
      status: z
        .enum(['queued', 'running', 'completed', 'canceled'])
        .optional()
        .describe('how far a run is; whether a completed one succeeded is its conclusion'),
      pipeline: Name.optional().describe('name of the pipeline, all of it'),
      branch: Name.optional().describe('branch that it ran on, all of the name'),
      commit: z
        .string()
        .regex(/^[0-9a-f]{7,64}$/)
        .optional()
        .describe('hash of the commit that it ran on, or its first 7 or more digits'),
      created_after: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('only runs made after this time, such as 2026-11-30T08:00:00Z'),
      limit: z.int().min(1).max(100).default(20).describe('most runs on the page'),
      cursor: Cursor.optional(),
    }),
    effect: 'read',
    staleness: 'stale',
    async handle(filter, scope) {
      const { data, next_cursor } = await dispatcher.runs(filter, scope);
      return { runs: data.map(runView), next_cursor: given(next_cursor) };
    },
  });
