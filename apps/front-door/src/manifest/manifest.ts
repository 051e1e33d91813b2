import { createHash } from 'node:crypto';
import { ENVELOPE_VERSION, Effect } from '@portico/contracts';
import { z } from 'zod';
import { canonicalJson } from '../cache/canonical-json.js';
import type { Access } from '../policy/policy.js';
import type { PublishedCatalogue } from '../published-catalogue.js';
import type { PublishedTool } from '../published-tool.js';

const ManifestTool = z.looseObject({
  /** As it is published. */
  name: z.string(),
  effect: Effect,
  destructive: z.boolean(),
  /** Names of the tool's own arguments. */
  input: z.array(z.string()),
  lease: z.looseObject({ resource: z.string() }).optional(),
  staleness: z.enum(['cached', 'stale']).optional(),
  cache: z.union([z.record(z.string(), z.unknown()), z.literal(false)]),
  invalidates: z.array(z.string()).optional(),
});
export type ManifestTool = z.infer<typeof ManifestTool>;

/**
 * The surface that one reader may see, with a digest: what changed can be told by comparing two of them. What a later version
 * adds passes, since the digest is of it too.
 */
export const Manifest = z.looseObject({
  contract_version: z.string(),
  /** SHA-256 of the RFC 8785 JSON of the rest, in hexadecimal. */
  digest: z.string(),
  domains: z.array(z.looseObject({ name: z.string(), tools: z.array(ManifestTool) })),
});
export type Manifest = z.infer<typeof Manifest>;

export const digestOf = ({ digest: _own, ...rest }: Readonly<Record<string, unknown>>): string =>
  createHash('sha256').update(canonicalJson(rest)).digest('hex');

const texts = new WeakMap<PublishedCatalogue, WeakMap<Access, string>>();

/** The manifest of what an access lets one see, as JSON: made once for as long as the same is published. */
export function manifestJson(catalogue: PublishedCatalogue, access: Access): string {
  const known = texts.get(catalogue) ?? new WeakMap<Access, string>();
  texts.set(catalogue, known);
  let text = known.get(access);
  if (text === undefined) known.set(access, (text = JSON.stringify(manifestOf(catalogue, access))));
  return text;
}

function manifestOf(catalogue: PublishedCatalogue, access: Access): Manifest {
  const domains = new Map<string, ManifestTool[]>();
  for (const { name, tools } of catalogue.domains) {
    const seen = tools.filter((tool) => access.allows(tool)).map(manifestTool);
    // A domain of which one may see nothing is none for that one.
    if (seen.length > 0 || tools.length === 0) domains.set(name, [...(domains.get(name) ?? []), ...seen]);
  }
  const rest = {
    contract_version: ENVELOPE_VERSION,
    domains: [...domains].sort(byFirst).map(([name, tools]) => ({ name, tools: tools.sort(byName) })),
  };
  return { contract_version: rest.contract_version, digest: digestOf(rest), domains: rest.domains };
}

const manifestTool = ({ published, policy, definition, taken }: PublishedTool): ManifestTool => {
  const { effect, lease, staleness, cache, invalidates = [] } = policy;
  const given = definition.inputSchema['properties'];
  const ours = new Set(taken);
  return {
    name: published,
    effect,
    destructive: effect === 'destructive',
    input: Object.keys(typeof given === 'object' && given !== null ? given : {})
      .filter((name) => !ours.has(name))
      .sort(),
    ...(lease !== undefined && { lease: { resource: lease.resource } }),
    ...(staleness !== undefined && { staleness }),
    cache: cache ?? false,
    ...(invalidates.length > 0 && { invalidates }),
  };
};

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byFirst = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => byText(a, b);
const byName = (a: ManifestTool, b: ManifestTool): number => byText(a.name, b.name);
