/** A scenario of the suite's client side and the revisions at which it runs. */
export interface ClientScenario {
  readonly name: string;
  readonly revisions: readonly string[];
}

const SCENARIO_LINE = /^ {2}- (\S+) \[([^\]]+)\]/;

/**
 * Finds the client scenarios in what the suite's `list` command prints, without those of OAuth (the front door is no
 * OAuth client of its upstreams yet) and those of extensions.
 */
export function clientScenarios(listing: string): ClientScenario[] {
  const [, from = ''] = listing.split(/^Client scenarios.*$/m);
  const [section = ''] = from.split(/^\S/m);
  return section.split('\n').flatMap((line) => {
    const [, name, revisions] = SCENARIO_LINE.exec(line) ?? [];
    if (name === undefined || revisions === undefined) return [];
    if (name.startsWith('auth/') || revisions === 'extension') return [];
    return [{ name, revisions: revisions.split(',') }];
  });
}
