import { ENVELOPE_VERSION, Fault, sourceName, type SourceState } from '@portico/contracts';
import { z } from 'zod';
import type { Access } from '../policy/policy.js';
import type { PublishedTool } from '../published-tool.js';
import type { GatewayView } from './gateway-view.js';

/** How `gateway.describe` is asked: nothing for the overview, or what narrows or widens it. */
export const DescribeArguments = z.strictObject({
  domain: z.string().min(1).max(64).optional().describe('Only this domain.'),
  profile: z.string().min(1).max(128).optional().describe('Only the tools of this profile, such as operations@1.'),
  include_schemas: z.boolean().optional().describe('Add the input and output schema of each tool.'),
});

const STATUS = { fresh: 'up', stale: 'degraded', unavailable: 'down', pending: 'unknown' } as const satisfies Record<
  SourceState,
  string
>;

interface Described {
  readonly name: string;
  readonly description: string;
  readonly status: 'up' | 'degraded' | 'down' | 'unknown';
  readonly tools: readonly Record<string, unknown>[];
}

const describeTool = (tool: PublishedTool, withSchemas: boolean): Record<string, unknown> => ({
  name: tool.published,
  // Where the list shows another name (shortened, folded), both are callable.
  ...(tool.shown !== tool.published && { listed_as: tool.shown }),
  description: typeof tool.definition['description'] === 'string' ? tool.definition['description'] : '',
  effect: tool.policy.effect,
  ...(tool.policy.lease !== undefined && { lease: { resource: tool.policy.lease.resource } }),
  ...(withSchemas && {
    input_schema: tool.definition.inputSchema,
    ...(tool.definition['outputSchema'] !== undefined && { output_schema: tool.definition['outputSchema'] }),
  }),
});

/** What is left out of the answer. A profile's domains are shown also while they have none of its tools to offer. */
interface Selection {
  readonly access: Access;
  readonly withSchemas: boolean;
  readonly shows: (domain: string) => boolean;
  readonly profile?: ReadonlySet<string> | undefined;
}

/** The domains selected, those that have not answered yet among them, in the order of their names. */
const describeAll = (view: GatewayView, { access, withSchemas, shows, profile }: Selection): Described[] => {
  const summaries = view.sources();
  const states = new Map(summaries.map(({ source, state }) => [source, state]));
  const known = view.catalogue().domains;
  const addresses = new Set(known.map(({ address }) => address));
  const domains = known
    .filter(({ name }) => shows(name))
    .map(({ name, address, identity, tools }): Described => {
      // The gateway is in this process, and known to nobody else.
      const state = states.get(address) ?? (address === 'domain.gateway' ? 'fresh' : 'pending');
      return {
        name,
        description: identity.description,
        status: STATUS[state],
        tools: tools
          .filter((tool) => access.allows(tool) && (profile === undefined || profile.has(tool.fullName)))
          .map((tool) => describeTool(tool, withSchemas)),
      };
    });
  for (const { source, state } of summaries)
    if (!addresses.has(source) && shows(sourceName(source)))
      domains.push({ name: sourceName(source), description: '', status: STATUS[state], tools: [] });
  return domains.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
};

const PROFILES_NAMED = 8;

/** Full names of the tools of a profile. It guides, and opens nothing: what a caller may not see stays out of the answer. */
const profileOf = (name: string, view: GatewayView): ReadonlySet<string> => {
  const profiles = view.profiles();
  const tools = profiles.get(name);
  if (tools !== undefined) return new Set(tools);
  if (profiles.size === 0) throw new Fault('NOT_FOUND', 'There is no such profile; none is defined.');
  const named = [...profiles.keys()]
    .sort()
    .slice(0, PROFILES_NAMED)
    .map((known) => known.slice(0, 48));
  const more = profiles.size > named.length ? ` and ${profiles.size - named.length} more` : '';
  throw new Fault('NOT_FOUND', `There is no such profile. Known: ${named.join(', ')}${more}.`);
};

/** A projection of the tools really published; nothing in it tells where a domain's backend is. */
export const describe = (
  { domain, profile: profileName, include_schemas: withSchemas = false }: z.output<typeof DescribeArguments>,
  view: GatewayView,
  access: Access,
): { contract_version: string; domains: Described[] } => {
  const profile = profileName === undefined ? undefined : profileOf(profileName, view);
  const ofProfile = profile && new Set([...profile].map((fullName) => fullName.split('.', 1)[0]));
  const shows = (name: string): boolean =>
    domain === undefined ? ofProfile === undefined || ofProfile.has(name) : name === domain;
  const domains = describeAll(view, { access, withSchemas, shows, profile });
  if (domains.length === 0 && (domain !== undefined || profile === undefined)) {
    const known = describeAll(view, { access, withSchemas: false, shows: () => true }).map(({ name }) => name);
    throw new Fault('NOT_FOUND', `There is no such domain. Known: ${known.join(', ')}.`);
  }
  return { contract_version: ENVELOPE_VERSION, domains };
};
