import { Fault } from '@portico/contracts';
import type { SourceLog } from '@portico/domain-kit';
import { z } from 'zod';

const KEY_REFUSED = "Plane did not accept the gateway's own API key.";
const MOST_FIELDS = 4;
const LONGEST_WORDS = 120;

/** What Plane finds wrong with what it was sent; it says so as `error`, as `detail`, or for each field. */
const Said = z.union([
  z.looseObject({ error: z.string() }).transform(({ error }) => [error]),
  z.looseObject({ detail: z.string() }).transform(({ detail }) => [detail]),
  z
    .record(z.string(), z.array(z.string()).min(1))
    .transform((fields) => Object.entries(fields).map(([field, [said]]) => `${fieldName(field)}${said}`)),
]);

/** A sentence for callers from an error answer of Plane; only where what it says is about their arguments. */
export function explainPlane(status: number, body: string): string | undefined {
  // Plane means 401 and answers 403.
  if (status === 403 && body.includes('Given API token is not valid')) return KEY_REFUSED;
  if (status !== 400 && status !== 409) return undefined;
  const said = Said.safeParse(jsonOf(body));
  if (!said.success) return undefined;
  const words = said.data.slice(0, MOST_FIELDS).map((each) => each.slice(0, LONGEST_WORDS));
  return `Plane did not accept this: ${words.join('; ')}`;
}

/** Throws the fault that an answer really means: a key that is not accepted is the operator's problem, not the caller's. */
export function planeFault(error: unknown, log: SourceLog | undefined): never {
  if (error instanceof Fault && error.message === KEY_REFUSED) {
    log?.error('backend.credential-refused', { backend: 'Plane' });
    throw new Fault('UNAUTHENTICATED', KEY_REFUSED, { cause: error });
  }
  throw error;
}

const fieldName = (field: string): string => (field === 'non_field_errors' ? '' : `${field.slice(0, 40)}: `);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
