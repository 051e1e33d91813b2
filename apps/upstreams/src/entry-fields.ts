import { z } from 'zod';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TEXT_LIMIT = 32_768;

const Text = z.string().max(TEXT_LIMIT);
const Filled = Text.min(1);
const Seconds = z.number().positive().max(3_600);
/** At most 256 of them: an entry is a small thing, and is handed to a process whole. */
const few = (value: object): boolean => Object.keys(value).length <= 256;

export interface Field {
  readonly schema: z.ZodType;
  /** Completes "… takes". */
  readonly takes: string;
  /** The transport it belongs to; absent: both. */
  readonly transport?: 'stdio' | 'http';
  /** Its value may hold a secret: it is never repeated. */
  readonly secret?: true;
}

/** Every field of a server entry, the shape it takes, and where it belongs. What else its content must be: `entry-rules/`. */
export const ENTRY_FIELDS = {
  type: { schema: z.enum(['stdio', 'http', 'streamable-http']), takes: '"stdio" or "http"' },
  command: { schema: Filled, takes: 'the name or path of a program', transport: 'stdio' },
  args: {
    schema: z.array(Text).refine(few),
    takes: 'a list of texts without references (secrets go into "env")',
    transport: 'stdio',
    secret: true,
  },
  env: {
    schema: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), Text).refine(few),
    takes: 'an object of texts by variable name, in which ${env:NAME} and ${file:NAME} are references',
    transport: 'stdio',
    secret: true,
  },
  cwd: { schema: Filled, takes: 'the path of a folder', transport: 'stdio' },
  url: {
    schema: Filled,
    takes: 'an http or https URL without user name and password',
    transport: 'http',
    secret: true,
  },
  headers: {
    schema: z.record(z.string().regex(TOKEN), Text).refine(few),
    takes:
      "an object of texts by header name, the protocol's own left out, in which ${env:NAME} and ${file:NAME} are references",
    transport: 'http',
    secret: true,
  },
  enabled: { schema: z.boolean(), takes: 'true or false' },
  description: { schema: z.string().max(1_000), takes: 'a text of at most 1,000 characters' },
  hiddenTools: { schema: z.array(z.string().min(1).max(256)).max(1_000), takes: 'a list of names of tools' },
  session: { schema: z.enum(['shared', 'per-principal']), takes: '"shared" or "per-principal"' },
  connectTimeoutSeconds: { schema: Seconds, takes: 'a number above 0, at most 3600' },
  callTimeoutSeconds: { schema: Seconds, takes: 'a number above 0, at most 3600' },
  outputLimit: { schema: z.int().positive(), takes: 'a whole number of characters above 0' },
  allowPrivate: { schema: z.boolean(), takes: 'true or false', transport: 'http' },
  forwardContext: { schema: z.boolean(), takes: 'true or false' },
  oauth: {
    schema: z.strictObject({
      clientId: Filled,
      clientSecret: Text,
      tokenUrl: Filled.optional(),
      scope: Text.optional(),
    }),
    takes:
      'an object of clientId and clientSecret (perhaps a reference), and perhaps tokenUrl (an http or https URL) and scope',
    transport: 'http',
    secret: true,
  },
  mount: { schema: z.enum(['namespace', 'root']), takes: '"namespace" or "root"' },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof ENTRY_FIELDS;

/** The fields of an entry that has passed its checks. */
export type EntryFields = { readonly [Name in FieldName]?: z.output<(typeof ENTRY_FIELDS)[Name]['schema']> };

export const fieldNamed = (name: string): Field | undefined =>
  Object.hasOwn(ENTRY_FIELDS, name) ? ENTRY_FIELDS[name as FieldName] : undefined;
