import { createHash } from 'node:crypto';
import type { SourceAddress, SourceIdentity } from '@portico/contracts';
import { assignNames, fixedDomains } from './assigned-names.js';
import type { LeftOut } from './left-out.js';
import { prepareSource, type KnownSource, type PreparedSource } from './prepared-source.js';
import type { Access, Policy, Ruled } from './policy/policy.js';
import type { PublishRules } from './publish-rules.js';
import type { Era } from './protocol-revisions.js';
import { namePrompt, type PublishedPrompt } from './published-prompt.js';
import { nameTool, type PublishedTool } from './published-tool.js';
import { ResourceRoutes, type ResourceRoute } from './resource-routes.js';
import { NameIndex, type NameStyle } from './tool-names.js';

export type { KnownSource } from './prepared-source.js';

export interface PublishOptions extends PublishRules {
  readonly toolNames: NameStyle;
}

interface Unresolved {
  readonly kind: 'unknown';
}
interface Ambiguous {
  readonly kind: 'ambiguous';
  /** As shown, so that one of them can be called. */
  readonly names: readonly string[];
}
export type Resolution<T> = { readonly kind: 'found'; readonly item: T } | Unresolved | Ambiguous;

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
  /** The one it was published by. */
  readonly policy: Policy;
  readonly tools: readonly PublishedTool[];
  readonly prompts: readonly PublishedPrompt[];
  readonly domains: readonly PublishedDomain[];
  /** What sources publish and clients are not shown, with reasons, for the log. */
  readonly leftOut: readonly LeftOut[];
  resolveTool(name: string): Resolution<PublishedTool>;
  resolvePrompt(name: string): Resolution<PublishedPrompt>;
  /** By a published URI, listed or covered by a template. */
  resolveResource(uri: string): ResourceRoute | undefined;
  /** By a published template (or URI), for completion. */
  resolveTemplate(template: string): ResourceRoute | undefined;
  /** The URI under which clients know a source's resource. */
  publishedUri(address: SourceAddress, uri: string): string;
  /** What this access lets one see of a list, as the JSON text of its array: one page. */
  listJson(method: ListMethod, era: Era, access: Access): string;
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

const resolution = <T extends { readonly shown: string }>(hit: T | readonly T[] | undefined): Resolution<T> => {
  if (hit === undefined) return UNKNOWN;
  return hit instanceof Array ? ambiguous(hit as readonly T[]) : { kind: 'found', item: hit as T };
};

const revisionOf = (sources: readonly KnownSource[], options: PublishOptions): string => {
  const lines = sources.map(({ address, catalogue }) => `${address} ${catalogue.revision}`).sort(byText);
  return createHash('sha256')
    .update([options.toolNames, options.policy.revision, String(options.contextInSchemas), ...lines].join('\n'))
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

interface Listed extends Ruled {
  readonly json: string | Readonly<Record<Era, string>>;
}

/** The four lists as text; each is put together when first asked for, from the items' own ready text. */
const listTexts = (lists: Readonly<Record<ListMethod, readonly Listed[]>>) => {
  const whole = new Map<string, string>();
  /** For those who may not see everything: as long as somebody holds their access. */
  const filtered = new WeakMap<Access, Map<string, string>>();
  const textsFor = (access: Access): Map<string, string> => {
    if (access.all) return whole;
    const known = filtered.get(access) ?? new Map<string, string>();
    filtered.set(access, known);
    return known;
  };
  return (method: ListMethod, era: Era, access: Access): string => {
    const texts = textsFor(access);
    const key = `${method} ${era}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const seen = access.all ? lists[method] : lists[method].filter((item) => access.allows(item));
    const text = `[${seen.map(({ json }) => (typeof json === 'string' ? json : json[era])).join(',')}]`;
    texts.set(key, text);
    return text;
  };
};

/**
 * Publishes what all sources offer as one catalogue. Deterministic; linear in the items, and in their content only for
 * sources whose catalogue object is new. A source can spoil no items but its own.
 */
export const publishCatalogue = (sources: readonly KnownSource[], options: PublishOptions): PublishedCatalogue => {
  const style = options.toolNames;
  const leftOut: LeftOut[] = [];
  const report = (left: LeftOut) => void leftOut.push(left);
  const admitted = sources
    .map((source) => prepareSource(source, options))
    .filter(({ address, domain }) => {
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
    revision: revisionOf(sources, options),
    policy: options.policy,
    tools: Object.freeze(tools),
    prompts: Object.freeze(prompts),
    domains: Object.freeze(domainsOf(named, tools)),
    leftOut: Object.freeze(leftOut),
    resolveTool: (name) => resolution(toolIndex.find(name)),
    resolvePrompt: (name) => resolution(promptIndex.find(name)),
    resolveResource: (uri) => routes.find(uri),
    resolveTemplate: (template) => routes.findTemplate(template),
    publishedUri: (address, uri) => routes.publishedUri(address, uri),
    listJson: listTexts({
      'tools/list': tools,
      'prompts/list': prompts,
      'resources/list': routes.resources,
      'resources/templates/list': routes.templates,
    }),
  });
};
