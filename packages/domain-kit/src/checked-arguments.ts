import { Fault, MESSAGE_LIMIT } from '@portico/contracts';
import type { z } from 'zod';

const MOST_PROBLEMS = 5;
const LONGEST_NAME = 64;

/**
 * The arguments as the schema reads them. Throws INVALID_ARGUMENTS (`executed: no`) with one sentence per problem,
 * at most five, each naming its field.
 */
export async function checkedArguments<S extends z.ZodType>(
  schema: S,
  given: unknown,
  noun = 'argument',
): Promise<z.output<S>> {
  const parsed = await schema.safeParseAsync(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, MOST_PROBLEMS).map((issue) => sentence(issue, given, noun));
  throw new Fault('INVALID_ARGUMENTS', problems.join(' ').slice(0, MESSAGE_LIMIT), { executed: 'no' });
}

function sentence(issue: z.core.$ZodIssue, given: unknown, noun: string): string {
  const Noun = noun[0]!.toUpperCase() + noun.slice(1);
  const field = issue.path.length > 0 ? `${Noun} ${quoted(issue.path.join('.'))}` : `${Noun}s`;
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, MOST_PROBLEMS).map(quoted).join(', ');
    return issue.path.length > 0 ? `${field} has unknown fields: ${names}.` : `There is no ${noun} ${names}.`;
  }
  if (issue.code === 'invalid_type' && issue.path.length > 0 && isMissing(issue.path, given))
    return `${field} is required.`;
  if (issue.code === 'invalid_format' && issue.format === 'regex') return `${field} must match ${issue.pattern}.`;
  return `${field}: ${issue.message.replace(/\.$/, '')}.`;
}

/** Quoted and escaped as JSON, so that a name made of control characters stays one harmless word. */
const quoted = (name: string): string =>
  JSON.stringify(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);

function isMissing(path: readonly PropertyKey[], given: unknown): boolean {
  let here = given;
  for (const key of path)
    here = typeof here === 'object' && here !== null ? (here as Record<PropertyKey, unknown>)[key] : undefined;
  return here === undefined;
}
