import { isRecord } from './mcp-request.js';

type Check = (value: unknown) => boolean;
type Entry = Record<string, unknown>;

const isString: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const recordOf =
  (optional: Readonly<Record<string, Check>>, required: Readonly<Record<string, Check>> = {}): Check =>
  (value) =>
    isRecord(value) &&
    Object.entries(required).every(([key, check]) => check(value[key])) &&
    Object.entries(optional).every(([key, check]) => value[key] === undefined || check(value[key]));

const isTimestamp: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value));
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;

const SHARED = {
  title: isString,
  description: isString,
  _meta: isRecord,
  icons: listOf(
    recordOf({ mimeType: isString, sizes: listOf(isString), theme: oneOf('light', 'dark') }, { src: isString }),
  ),
};
const annotations = recordOf({
  audience: listOf(oneOf('user', 'assistant')),
  priority: isShare,
  lastModified: isTimestamp,
});

/** The optional keys that clients check, and refuse a whole list for. */
export const OPTIONAL = {
  tool: {
    ...SHARED,
    outputSchema: isRecord,
    execution: recordOf({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
    annotations: recordOf({
      title: isString,
      readOnlyHint: isBoolean,
      destructiveHint: isBoolean,
      idempotentHint: isBoolean,
      openWorldHint: isBoolean,
    }),
  },
  prompt: {
    ...SHARED,
    arguments: listOf(recordOf({ description: isString, required: isBoolean }, { name: isString })),
  },
  resource: { ...SHARED, annotations, mimeType: isString, size: (value: unknown) => typeof value === 'number' },
  template: { ...SHARED, annotations, mimeType: isString },
} as const;

/** What clients demand of the root of any tool schema; each value must then be a schema. */
const isObjectRoot = recordOf(
  {
    required: listOf(isString),
    properties: (value) =>
      isRecord(value) && Object.values(value).every((it) => isRecord(it) || typeof it === 'boolean'),
  },
  { type: oneOf('object') },
);

/** Whether clients of every revision take a schema's root, booleans among its properties aside. */
export const isObjectSchema = (schema: unknown): boolean => isObjectRoot(schema);

/**
 * A definition without the optional keys that would make a client refuse the whole list, and their names. One source's
 * slip must not hide every other source's items. The same object when there is nothing to take out.
 */
export const withoutMalformed = <T extends Entry>(
  definition: T,
  kind: keyof typeof OPTIONAL,
): { readonly definition: T; readonly dropped: readonly string[] } => {
  const checks: Readonly<Record<string, Check>> = OPTIONAL[kind];
  const dropped: string[] = [];
  for (const key in checks)
    if (Object.hasOwn(definition, key) && checks[key]?.(definition[key]) === false) dropped.push(key);
  if (dropped.length === 0) return { definition, dropped };
  const entries = Object.entries(definition).filter(([key]) => !dropped.includes(key));
  return { definition: Object.fromEntries(entries) as T, dropped };
};

/** Deepest nesting of a definition; beyond it clients' own parsers give up. */
const DEPTH_LIMIT = 200;

/** Whether a JSON value is nested no deeper than clients bear. Linear, and on no stack but its own. */
export const isShallow = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_LIMIT) return false;
    const next: unknown[] = [];
    for (const node of level)
      if (typeof node === 'object' && node !== null)
        for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) next.push(child);
    level = next;
  }
  return true;
};
