import { z } from 'zod';
import { hasOnlyReferences } from './references.js';

/** Belongs to the protocol, the connection or the message: never an entry's to set. */
const OWN_HEADERS =
  /^(mcp-.*|accept|connection|content-(length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

// A NUL ends a C string: no process can be given one.
const Text = z.string().regex(/^[^\0]*$/);
/** A secret among arguments would be seen by everyone who can list processes. */
const isPlain = (text: string): boolean => !/\$\{(env|file):/.test(text);
const Plain = Text.min(1).refine(isPlain);
const WithReferences = Text.refine(hasOnlyReferences);
const Seconds = z.number().positive().max(3_600);
const HttpUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  // A password in a URL would be repeated wherever the URL is shown; "headers" takes references instead.
  return isPlain(text) && url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
});

export interface Field {
  readonly schema: z.ZodType;
  /** Completes "… takes". */
  readonly takes: string;
  /** The transport it belongs to; absent: both. */
  readonly transport?: 'stdio' | 'http';
  /** Its value may hold a secret: it is never repeated. */
  readonly secret?: true;
}

/** Every field of a server entry, what it takes, and where it belongs. */
export const ENTRY_FIELDS = {
  type: { schema: z.enum(['stdio', 'http', 'streamable-http']), takes: '"stdio" or "http"' },
  command: { schema: Plain, takes: 'the name or path of a program', transport: 'stdio' },
  args: {
    schema: z.array(Text.refine(isPlain)),
    takes: 'a list of texts without references (secrets go into "env")',
    transport: 'stdio',
  },
  env: {
    schema: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), WithReferences),
    takes: 'an object of texts by variable name, in which ${env:NAME} and ${file:NAME} are references',
    transport: 'stdio',
    secret: true,
  },
  cwd: { schema: Plain, takes: 'the path of a folder', transport: 'stdio' },
  url: {
    schema: HttpUrl,
    takes: 'an http or https URL without user name and password',
    transport: 'http',
    secret: true,
  },
  headers: {
    schema: z.record(
      z
        .string()
        .regex(TOKEN)
        .refine((name) => !OWN_HEADERS.test(name)),
      WithReferences.refine((text) => !/[\r\n]/.test(text)),
    ),
    takes:
      "an object of texts by header name, the protocol's own left out, in which ${env:NAME} and ${file:NAME} are references",
    transport: 'http',
    secret: true,
  },
  enabled: { schema: z.boolean(), takes: 'true or false' },
  description: { schema: z.string().max(1_000), takes: 'a text of at most 1,000 characters' },
  hiddenTools: { schema: z.array(z.string().min(1)), takes: 'a list of names of tools' },
  session: { schema: z.enum(['shared', 'per-principal']), takes: '"shared" or "per-principal"' },
  connectTimeoutSeconds: { schema: Seconds, takes: 'a number above 0, at most 3600' },
  callTimeoutSeconds: { schema: Seconds, takes: 'a number above 0, at most 3600' },
  outputLimit: { schema: z.int().positive(), takes: 'a whole number of characters above 0' },
  allowPrivate: { schema: z.boolean(), takes: 'true or false', transport: 'http' },
  forwardContext: { schema: z.boolean(), takes: 'true or false' },
  oauth: {
    schema: z.strictObject({
      clientId: z.string().min(1),
      clientSecret: WithReferences,
      tokenUrl: HttpUrl.optional(),
      scope: z.string().optional(),
    }),
    takes: 'an object of clientId and clientSecret, and perhaps tokenUrl and scope',
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
