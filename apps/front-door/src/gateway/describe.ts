import { ENVELOPE_VERSION, Fault, sourceName, type SourceState } from '@portico/contracts';
import { z } from 'zod';
import type { GatewayView } from './gateway-view.js';
import type { PublishedTool } from '../published-tool.js';

/** How `gateway.describe` is asked: nothing for the overview, or what narrows or widens it. */
export const DescribeArguments = z.strictObject({
  domain: z.string().min(1).max(64).optional().describe('Only this domain.'),
  profile: z.string().min(1).max(128).optional().describe('Only the tools of this profile. Not supported yet.'),
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

/** Every domain, those that have not answered yet among them, in the order of their names. */
const describeAll = (view: GatewayView, withSchemas: boolean, only: string | undefined): Described[] => {
  const summaries = view.sources();
  const states = new Map(summaries.map(({ source, state }) => [source, state]));
  const known = view.catalogue().domains;
  const addresses = new Set(known.map(({ address }) => address));
  const domains = known
    .filter(({ name }) => only === undefined || name === only)
    .map(({ name, address, identity, tools }): Described => {
      // The gateway is in this process, and known to nobody else.
      const state = states.get(address) ?? (address === 'domain.gateway' ? 'fresh' : 'pending');
      return {
        name,
        description: identity.description,
        status: STATUS[state],
        tools: tools.map((tool) => describeTool(tool, withSchemas)),
      };
    });
  for (const { source, state } of summaries)
    if (!addresses.has(source) && (only === undefined || sourceName(source) === only))
      domains.push({ name: sourceName(source), description: '', status: STATUS[state], tools: [] });
  return domains.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
};

/** A projection of the tools really published; nothing in it tells where a domain's backend is. */
export const describe = (
  { domain, profile, include_schemas: withSchemas = false }: z.output<typeof DescribeArguments>,
  view: GatewayView,
): { contract_version: string; domains: Described[] } => {
  if (profile !== undefined) throw new Fault('UNSUPPORTED', 'Profiles are not supported yet; leave profile out.');
  const domains = describeAll(view, withSchemas, domain);
  if (domains.length === 0) {
    const known = describeAll(view, false, undefined).map(({ name }) => name);
    throw new Fault('NOT_FOUND', `There is no such domain. Known: ${known.join(', ')}.`);
  }
  return { contract_version: ENVELOPE_VERSION, domains };
};
