import { CachePolicy, PATTERN_LIMIT, SourceName, ToolPolicy, isDotGlob } from '@portico/contracts';
import { z } from 'zod';
import { STALE_PATTERNS_LIMIT, isStalePattern } from './stale-pattern.js';

/** Most rules, profiles, and items of one list. */
const ITEMS_LIMIT = 1_000;

/** Each refined text says what it takes as its message: the sentence about a file that can not be used ends with it. */
const text = (takes: string, test: (text: string) => boolean) => z.string().refine(test, { error: takes, abort: true });
const list = <T extends z.ZodType>(item: T) => z.array(item).max(ITEMS_LIMIT);

const hasControl = (value: string): boolean => /\p{Cc}/u.test(value);
const isShort = (value: string): boolean => value.length > 0 && value.length <= PATTERN_LIMIT && !hasControl(value);

const toolPattern = text(
  `a pattern over <domain>.<tool> such as "billing.get_*", the domain in lower case, at most ${PATTERN_LIMIT} characters`,
  isDotGlob,
);
/** Announced to clients in a list with commas. */
const stalePattern = text(
  `a pattern over <domain>.<tool> such as "billing.get_*", without blanks and commas, at most ${PATTERN_LIMIT} characters`,
  isStalePattern,
);
const callerPattern = text(
  `a name, in which * stands for any characters, of 1 to ${PATTERN_LIMIT} characters`,
  isShort,
);
const scope = text(
  'the name of a scope without * (all of them must be held; leave scopes out for any caller)',
  (value) => isShort(value) && !/[\s*]/.test(value),
);
const resource = text(
  `what is leased, such as "billing:{account}" with names of arguments in braces, at most ${PATTERN_LIMIT} characters`,
  (value) => isShort(value) && /^(?:[^{}]|\{[^{}]+\})+$/.test(value),
);
const toolName = text(
  'the full name <domain>.<tool> of a tool, without *',
  (value) =>
    isShort(value) && !value.includes('*') && SourceName.safeParse(value.split('.', 1)[0]).success && /\../.test(value),
);
const profileName = text(
  'a name and a version of letters, digits, ".", "_" and "-" such as operations@1, at most 128 characters',
  (value) => value.length <= 128 && /^[A-Za-z0-9][\w.-]*@[A-Za-z0-9][\w.-]*$/.test(value),
);

const cache = z.strictObject({
  ...CachePolicy.shape,
  freeText: list(z.string().min(1).max(PATTERN_LIMIT)).optional(),
  volatile: list(z.string().min(1).max(PATTERN_LIMIT)).optional(),
});

const toolRule = z.strictObject({
  match: toolPattern,
  ...ToolPolicy.shape,
  effect: ToolPolicy.shape.effect.optional(),
  cache: cache.optional(),
  invalidates: z.array(stalePattern).max(STALE_PATTERNS_LIMIT).optional(),
  lease: z.strictObject({ resource }).optional(),
});

const accessRule = z
  .strictObject({
    subjects: list(callerPattern).optional(),
    tenants: list(callerPattern).optional(),
    scopes: list(scope).optional(),
    allow: list(toolPattern).optional(),
    deny: list(toolPattern).optional(),
  })
  .refine(({ allow, deny }) => allow !== undefined || deny !== undefined, {
    error: 'a rule with allow, deny or both: without them it decides nothing',
  });

/** What stands in the policy file. Unknown keys are errors at every depth: a misspelt rule must not be a rule that is not there. */
export const PolicyFile = z.strictObject({
  tools: list(toolRule).optional(),
  access: list(accessRule).optional(),
  profiles: z
    .record(profileName, list(toolName))
    .refine((profiles) => Object.keys(profiles).length <= ITEMS_LIMIT, { error: `at most ${ITEMS_LIMIT} profiles` })
    .optional(),
});
export type PolicyFile = z.output<typeof PolicyFile>;
export type ToolRule = z.output<typeof toolRule>;
export type AccessRule = z.output<typeof accessRule>;

/** The domains that every caller may use: they tell what there is, and hold the leases. */
const OPEN_DOMAINS = ['gateway', 'task'];

export const isOpenToAll = (fullName: string): boolean =>
  OPEN_DOMAINS.some((domain) => fullName.startsWith(domain) && fullName[domain.length] === '.');
