import { sourceName, type SourceAddress, type SourceCatalogue, type SourceIdentity } from '@portico/contracts';
import type { LeftOut } from './left-out.js';
import { prepareResources, type PreparedResources } from './prepared-resources.js';
import { preparePrompt, type PreparedPrompt } from './published-prompt.js';
import { prepareTool, type PreparedTool } from './published-tool.js';
import type { PublishRules } from './publish-rules.js';

/** A source and the newest catalogue known of it; a catalogue object never changes. */
export interface KnownSource {
  readonly address: SourceAddress;
  readonly catalogue: SourceCatalogue;
}

/** All of a source's catalogue that can be worked out without knowing the other sources. */
export interface PreparedSource {
  readonly address: SourceAddress;
  readonly domain: string;
  readonly identity: SourceIdentity;
  readonly tools: readonly PreparedTool[];
  readonly prompts: readonly PreparedPrompt[];
  readonly resources: PreparedResources;
  readonly leftOut: readonly LeftOut[];
}

/** What was made of each catalogue, for as long as somebody holds it: only what changed is made anew. */
const known = new WeakMap<SourceCatalogue, { readonly rules: PublishRules; readonly prepared: PreparedSource }>();

export const prepareSource = ({ address, catalogue }: KnownSource, rules: PublishRules): PreparedSource => {
  const before = known.get(catalogue);
  if (before?.prepared.address === address && sameRules(before.rules, rules)) return before.prepared;
  const domain = sourceName(address);
  const { identity } = catalogue;
  const leftOut: LeftOut[] = [];
  const preparation = { address, domain, identity, rules, report: (left: LeftOut) => void leftOut.push(left) };
  const prepared: PreparedSource = {
    address,
    domain,
    identity,
    tools: catalogue.tools.flatMap((tool) => prepareTool(tool, preparation) ?? []),
    prompts: catalogue.prompts.flatMap((prompt) => preparePrompt(prompt, preparation) ?? []),
    resources: prepareResources(catalogue, domain, preparation.report),
    leftOut,
  };
  known.set(catalogue, { rules, prepared });
  return prepared;
};

const sameRules = (a: PublishRules, b: PublishRules): boolean =>
  a.policy === b.policy && a.contextInSchemas === b.contextInSchemas;
