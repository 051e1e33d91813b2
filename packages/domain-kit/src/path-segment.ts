import { Fault } from '@portico/contracts';
import { z } from 'zod';

const LONGEST_SEGMENT = 256;

/**
 * Schema of an identifier that becomes one segment of a path: all of it matches `pattern`, it is at most 256 characters
 * long, and it is never `.` or `..`. Throws at definition when the pattern is not anchored at both ends, or has flags
 * that change what an anchor means.
 */
export function pathSegment(pattern: RegExp): z.ZodString {
  const { source, flags } = pattern;
  if (!source.startsWith('^') || !/(^|[^\\])(\\\\)*\$$/.test(source) || /[^u]/.test(flags)) {
    throw new Error(`The pattern ${pattern} of a path segment must begin with ^, end with $ and have no flag but u.`);
  }
  // Grouped, so that an alternative inside cannot slip out of the anchors.
  const whole = new RegExp(`^(?:${source.slice(1, -1)})$`, flags);
  return z
    .string()
    .max(LONGEST_SEGMENT)
    .regex(source.includes('|') ? whole : pattern)
    .refine(isNoDotSegment, {
      message: 'must not be "." or ".."',
    });
}

/**
 * A path from a template literal, every value percent-encoded as one segment: path`/runs/${id}/logs`.
 * Throws INVALID_ARGUMENTS for an empty value, `.`, `..`, or text that is not well-formed Unicode.
 */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((built, part, index) => built + encodedSegment(values[index - 1]!) + part);
}

function encodedSegment(value: string | number): string {
  const text = String(value);
  try {
    if (text !== '' && isNoDotSegment(text)) return encodeURIComponent(text);
  } catch {
    // Half a surrogate pair: no text that a path can carry.
  }
  throw new Fault('INVALID_ARGUMENTS', 'An identifier is empty or is not one that may stand in a path.', {
    executed: 'no',
  });
}

const isNoDotSegment = (text: string): boolean => text !== '.' && text !== '..';
