import { FIXED_DOMAINS, SourceName } from '@portico/contracts';
import { EntryRefusal } from './entry-refusal.js';

const RESERVED: ReadonlySet<string> = new Set(FIXED_DOMAINS);

/**
 * The name under which a server is published: lower case, every character outside `a-z0-9-` a hyphen, at most 32.
 * Throws an EntryRefusal when that is no name, or one of our own domains'.
 */
export function normalisedName(spelled: string): string {
  const name = spelled.toLowerCase().replace(/[^a-z0-9-]/gu, '-');
  const shown = JSON.stringify(spelled.slice(0, 64));
  if (!SourceName.safeParse(name).success) {
    throw new EntryRefusal(
      'INVALID_NAME',
      'name',
      `the name ${shown} is not usable, a name takes 1 to 32 characters and begins with a letter or digit`,
    );
  }
  if (RESERVED.has(name)) {
    throw new EntryRefusal('RESERVED_NAME', 'name', `the name ${shown} belongs to a domain of the gateway itself`);
  }
  return name;
}
