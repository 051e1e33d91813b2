import { CONTENT_RULES } from './content-rules.js';
import { NAME_RULES } from './name-rules.js';
import { POLICY_RULES } from './policy-rules.js';
import type { EntryRule } from './rule.js';
import { SHAPE_RULES } from './shape-rules.js';
import { TRANSPORT_RULES } from './transport-rules.js';

/** Everything that an entry must be, in the order in which it is told. */
export const ENTRY_RULES: readonly EntryRule[] = [
  ...NAME_RULES,
  ...TRANSPORT_RULES,
  ...SHAPE_RULES,
  ...CONTENT_RULES,
  ...POLICY_RULES,
];
