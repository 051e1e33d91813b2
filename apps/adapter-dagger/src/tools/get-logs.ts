import { stripVTControlCharacters } from 'node:util';
import { defineTool, given } from '@portico/domain-kit';
import { z } from 'zod';
import type { DispatcherClient } from '../client.js';
import { Cursor, Name, RunId } from './arguments.js';

export const getLogs = (dispatcher: DispatcherClient) =>
  defineTool({
    name: 'get_logs',
    description:
      'What a run wrote, oldest first, a piece at a time. complete: the run is over and this was the last piece; otherwise next_cursor leads on, to what is written meanwhile, too.',
    input: z.object({
      run_id: RunId,
      step: Name.optional().describe('name of one step, to have its lines alone; dagger.get_run has them'),
      limit_bytes: z.int().min(1_024).max(65_536).default(32_768).describe('most bytes of text in the piece'),
      cursor: Cursor.optional(),
    }),
    effect: 'read',
    staleness: 'stale',
    async handle({ run_id, ...part }, scope) {
      const { data, next_cursor, complete } = await dispatcher.logs(run_id, part, scope);
      return {
        lines: data.map(({ ts, step, stream, text }) => ({
          time: given(ts),
          step: given(step),
          stream: given(stream),
          // Colours and cursor movements are for a terminal.
          text: stripVTControlCharacters(text),
        })),
        complete,
        next_cursor: given(next_cursor),
      };
    },
  });
