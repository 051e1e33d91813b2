import { ENTRY_FIELDS } from '../entry-fields.js';
import type { Field } from '../entry-fields.js';
import { invalidField } from '../invalid-field.js';
import type { EntryRule } from './rule.js';

/** One for each field: its value has the shape that it takes. */
export const SHAPE_RULES: readonly EntryRule[] = Object.entries<Field>(ENTRY_FIELDS).map(([name, { schema }]) => ({
  id: `shape-of-${name}`,
  refusal({ given }) {
    if (!Object.hasOwn(given as object, name)) return undefined;
    const value = (given as Record<string, unknown>)[name];
    const { success, error } = schema.safeParse(value);
    return success ? undefined : invalidField(name, value, error.issues[0]?.path);
  },
}));
