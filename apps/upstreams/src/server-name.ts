/**
 * The name under which a server is published: lower case, every character outside `a-z0-9-` a hyphen. Whether that is a
 * name at all is for the rules of an entry to say.
 */
export const normalisedName = (spelled: string): string => spelled.toLowerCase().replace(/[^a-z0-9-]/gu, '-');
