import type { ServerTarget } from '@portico/mcp-session';

/** A shorter value says nothing, and taking it out would leave no readable line. */
const SHORTEST = 6;
/** A part of a value, such as the token after `Bearer`. */
const SHORTEST_PART = 8;

/** What must not be shown of a connection: the values of `env` and `headers`, whatever they were made of, the longest first. */
export function secretsOf(target: ServerTarget, inherited: Readonly<Record<string, string | undefined>>): string[] {
  const values =
    target.transport === 'http'
      ? Object.values(target.headers)
      : Object.entries(target.env).flatMap(([name, value]) => (value === inherited[name] ? [] : [value]));
  const parts = values.flatMap((value) => value.split(/\s+/)).filter((part) => part.length >= SHORTEST_PART);
  return [...new Set([...values.filter((value) => value.length >= SHORTEST), ...parts])].sort(
    (a, b) => b.length - a.length,
  );
}

/** The text with every one of these values replaced. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
