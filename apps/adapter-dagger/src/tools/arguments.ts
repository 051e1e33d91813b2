import { pathSegment } from '@portico/domain-kit';
import { z } from 'zod';

/** Checked before there is a path: nothing else is ever part of one. */
export const RunId = pathSegment(/^[a-z0-9][a-z0-9-]{0,62}$/).describe(
  'run_id of a run, such as build-1432; dagger.list_runs has them',
);

export const Cursor = z
  .string()
  .regex(/^[A-Za-z0-9_.~=-]{1,512}$/)
  .describe('next_cursor of the answer before, for what comes next; the other arguments as they were');

export const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be without control characters');
