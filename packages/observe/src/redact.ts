const SECRET_KEY =
  /authorization|cookie|password|passphrase|secret|credential|token|api[-_]?key|signing[-_]?key|private[-_]?key|lease[-_]?id/i;
/** Names that look secret and are not: counts of tokens, and references made to be shown. */
const OPEN_KEY = /^(max_?|total_?|input_?|output_?)?tokens$|token[-_]?vectors|progress[-_]?token/i;
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]'],
  [/(:\/\/)[^\s/@]+@/g, '$1[redacted]@'],
];
const MAX_DEPTH = 6;
const MAX_TEXT = 4096;
const MAX_ITEMS = 100;
const MAX_CAUSES = 5;

/** A copy of a log field that is safe to write: secrets replaced by what their names say, errors with their causes, all bounded. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return redactError(value, depth);
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Date) return value;
  if (value instanceof Map || value instanceof Set) return redact([...value], depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redact(item, depth + 1));
  return redactFields(value as Record<string, unknown>, depth);
}

const redactFields = (fields: Record<string, unknown>, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, MAX_ITEMS)
      .map(([key, value]) => [key, isSecret(key, value) ? '[redacted]' : redact(value, depth + 1)]),
  );

const isSecret = (key: string, value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'boolean' && SECRET_KEY.test(key) && !OPEN_KEY.test(key);

function redactText(text: string): string {
  const bounded = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… [${text.length} characters]` : text;
  return IN_TEXT.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), bounded);
}

/** An error as log fields, with its causes below it; at most five deep, so that a circle of causes ends. */
function redactError(error: Error, depth: number, causes = 0): Record<string, unknown> {
  const { name, message, stack, cause, ...own } = error as Error & Record<string, unknown>;
  const nested =
    cause instanceof Error
      ? causes < MAX_CAUSES && redactError(cause, depth + 1, causes + 1)
      : cause !== undefined && redact(cause, depth + 1);
  return {
    type: name,
    message: redactText(message),
    ...redactFields(own, depth),
    ...(stack !== undefined && { stack: redactText(stack) }),
    ...(nested !== false && { cause: nested }),
  };
}
