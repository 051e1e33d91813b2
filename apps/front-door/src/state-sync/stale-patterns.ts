import { DotGlob } from '@portico/contracts';
import type { PublishedCatalogue } from '../published-catalogue.js';
import type { PublishedTool } from '../published-tool.js';

/** Patterns whose tools are remembered, of each catalogue. */
const KEPT = 256;

const matching = new WeakMap<PublishedCatalogue, Map<string, readonly PublishedTool[]>>();

/** The tools that a pattern names, in the order of the list. */
export function toolsOfPattern(catalogue: PublishedCatalogue, pattern: string): readonly PublishedTool[] {
  const known = matching.get(catalogue) ?? new Map<string, readonly PublishedTool[]>();
  matching.set(catalogue, known);
  let tools = known.get(pattern);
  if (tools === undefined) {
    const glob = new DotGlob(pattern);
    tools = catalogue.tools.filter(({ fullName }) => glob.matches(fullName));
    if (known.size >= KEPT) known.clear();
    known.set(pattern, tools);
  }
  return tools;
}

/** The pattern of every tool in the domains that a pattern speaks of. */
export const domainsOfPattern = (pattern: string): string => {
  const dot = pattern.indexOf('.');
  return dot < 0 ? '*' : `${pattern.slice(0, dot)}.*`;
};
