import { createHash } from 'node:crypto';
import type { SourceAddress, SourceIdentity } from '@portico/contracts';
import { assignNames, fixedDomains } from './assigned-names.js';
import type { LeftOut } from './left-out.js';
import { prepareSource, type KnownSource, type PreparedSource } from './prepared-source.js';
import type { Era } from './protocol-revisions.js';
import { namePrompt, type PublishedPrompt } from './published-prompt.js';
import { nameTool, type PublishedTool } from './published-tool.js';
import { ResourceRoutes, type ResourceRoute } from './resource-routes.js';
import { NameIndex, type NameStyle } from './tool-names.js';

export type { KnownSource } from './prepared-source.js';

interface Unresolved {
  readonly kind: 'unknown';
}
interface Ambiguous {
  readonly kind: 'ambiguous';
  /** As shown, so that one of them can be called. */
  readonly names: readonly string[];
}
export type ToolResolution = { readonly kind: 'found'; readonly tool: PublishedTool } | Unresolved | Ambiguous;
export type PromptResolution = { readonly kind: 'found'; readonly prompt: PublishedPrompt } | Unresolved | Ambiguous;

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

export interface PublishedDomain {
  readonly name: string;
  readonly address: SourceAddress;
  readonly identity: SourceIdentity;
  /** In the order of the list. */
  readonly tools: readonly PublishedTool[];
}

/** Everything the front door offers at one moment. A change of any source makes a new one; this one never changes. */
export interface PublishedCatalogue {
  /** Equal revision, equal lists. */
  readonly revision: string;
  readonly tools: readonly PublishedTool[];
  readonly prompts: readonly PublishedPrompt[];
  readonly domains: readonly PublishedDomain[];
  /** What sources publish and clients are not shown, with reasons, for the log. */
  readonly leftOut: readonly LeftOut[];
  resolveTool(name: string): ToolResolution;
  resolvePrompt(name: string): PromptResolution;
  /** By a published URI, listed or covered by a template. */
  resolveResource(uri: string): ResourceRoute | undefined;
  /** By a published template (or URI), for completion. */
  resolveTemplate(template: string): ResourceRoute | undefined;
  /** The URI under which clients know a source's resource. */
  publishedUri(address: SourceAddress, uri: string): string;
  /** A list as the JSON text of its array, whole: one page. */
  listJson(method: ListMethod, era: Era): string;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byShown = (a: { readonly shown: string }, b: { readonly shown: string }): number => byText(a.shown, b.shown);
/** Ours before an upstream server of the same name. */
const byName = (a: PreparedSource, b: PreparedSource): number =>
  byText(a.domain, b.domain) || byText(a.address, b.address);
/** The order in which names may be claimed: a server at the root comes last. */
const byClaim = (a: PreparedSource, b: PreparedSource): number =>
  byText(a.identity.mount, b.identity.mount) || byName(a, b);

const UNKNOWN: Unresolved = Object.freeze({ kind: 'unknown' });

const ambiguous = (items: readonly { readonly shown: string }[]): Ambiguous => ({
  kind: 'ambiguous',
  names: items.map((item) => item.shown).sort(byText),
});

const revisionOf = (sources: readonly KnownSource[], style: NameStyle): string => {
  const lines = sources.map(({ address, catalogue }) => `${address} ${catalogue.revision}`).sort(byText);
  return createHash('sha256')
    .update([style, ...lines].join('\n'))
    .digest('hex')
    .slice(0, 32);
};

const domainsOf = (sources: readonly PreparedSource[], tools: readonly PublishedTool[]): PublishedDomain[] => {
  const byAddress = new Map<SourceAddress, PublishedTool[]>();
  for (const tool of tools) {
    const known = byAddress.get(tool.address);
    if (known === undefined) byAddress.set(tool.address, [tool]);
    else known.push(tool);
  }
  return sources.map(({ domain, address, identity }) => ({
    name: domain,
    address,
    identity,
    tools: byAddress.get(address) ?? [],
  }));
};

/** The four lists as text; each is put together when first asked for, from the items' own ready text. */
const listTexts = (tools: readonly PublishedTool[], prompts: readonly PublishedPrompt[], routes: ResourceRoutes) => {
  const texts = new Map<string, string>();
  const itemsOf = (method: ListMethod, era: Era): readonly string[] => {
    switch (method) {
      case 'tools/list':
        return tools.map((tool) => tool.json[era]);
      case 'prompts/list':
        return prompts.map((prompt) => prompt.json);
      case 'resources/list':
        return routes.resourceJson;
      case 'resources/templates/list':
        return routes.templateJson;
    }
  };
  return (method: ListMethod, era: Era): string => {
    const key = `${method} ${era}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = `[${itemsOf(method, era).join(',')}]`;
    texts.set(key, text);
    return text;
  };
};

/**
 * Publishes what all sources offer as one catalogue. Deterministic; linear in the items, and in their content only for
 * sources whose catalogue object is new. A source can spoil no items but its own.
 */
export const publishCatalogue = (
  sources: readonly KnownSource[],
  { toolNames: style }: { readonly toolNames: NameStyle },
): PublishedCatalogue => {
  const leftOut: LeftOut[] = [];
  const report = (left: LeftOut) => void leftOut.push(left);
  const admitted = sources.map(prepareSource).filter(({ address, domain }) => {
    const foreign = address.startsWith('upstream.') && fixedDomains.has(domain);
    if (foreign) report({ domain, kind: 'source', name: address, reason: 'its name belongs to a domain of our own' });
    return !foreign;
  });
  for (const source of admitted) leftOut.push(...source.leftOut);
  const claiming = admitted.toSorted(byClaim);
  const tools = assignNames(claiming, {
    kind: 'tool',
    style,
    of: (source) => source.tools,
    make: nameTool,
    report,
  }).sort(byShown);
  const prompts = assignNames(claiming, {
    kind: 'prompt',
    style,
    of: (source) => source.prompts,
    make: namePrompt,
    report,
  }).sort(byShown);
  const named = admitted.toSorted(byName);
  const routes = new ResourceRoutes(named, report);
  const toolIndex = new NameIndex(tools);
  const promptIndex = new NameIndex(prompts);
  return Object.freeze<PublishedCatalogue>({
    revision: revisionOf(sources, style),
    tools: Object.freeze(tools),
    prompts: Object.freeze(prompts),
    domains: Object.freeze(domainsOf(named, tools)),
    leftOut: Object.freeze(leftOut),
    resolveTool: (name) => {
      const hit = toolIndex.find(name);
      if (hit === undefined) return UNKNOWN;
      return hit instanceof Array ? ambiguous(hit) : { kind: 'found', tool: hit };
    },
    resolvePrompt: (name) => {
      const hit = promptIndex.find(name);
      if (hit === undefined) return UNKNOWN;
      return hit instanceof Array ? ambiguous(hit) : { kind: 'found', prompt: hit };
    },
    resolveResource: (uri) => routes.find(uri),
    resolveTemplate: (template) => routes.findTemplate(template),
    publishedUri: (address, uri) => routes.publishedUri(address, uri),
    listJson: listTexts(tools, prompts, routes),
  });
};
