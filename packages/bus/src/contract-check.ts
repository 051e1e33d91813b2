import { Fault } from '@portico/contracts';
import type { z } from 'zod';

const SHOWN_ISSUES = 3;
const SHOWN_CHARACTERS = 300;

/** What a value breaks of its contract, in a line: where and what was expected, never the value itself. */
export const issuesOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, SHOWN_ISSUES)
    .map((issue) => `${issue.path.map(String).join('.') || 'payload'}: ${issue.message}`)
    .join('; ')
    .slice(0, SHOWN_CHARACTERS);

/** The request as its contract has it. Throws INVALID_ARGUMENTS, naming the first few places. */
export const checkRequest = (schema: z.ZodType, request: unknown): unknown => {
  const checked = schema.safeParse(request);
  if (checked.success) return checked.data;
  throw new Fault('INVALID_ARGUMENTS', `The request does not fit its contract: ${issuesOf(checked.error)}`);
};
