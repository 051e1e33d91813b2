import { type Fault, sourceName, type StopSignal } from '@portico/contracts';
import type { CallFacts } from './envelope.js';
import type { FrontDoor } from './front-door.js';
import type { Answer } from './mcp-request.js';
import { INVALID_PARAMS } from './mcp-request.js';
import type { PublishedTool } from './published-tool.js';

export type ResolvedTool =
  | { readonly kind: 'found'; readonly tool: PublishedTool }
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** The name speaks of a source that never answered, so what it offers is not known. */
  | { readonly kind: 'silent'; readonly tool: CallFacts['tool'] };

/**
 * Finds the tool a caller means by its name as published, folded, or with `mcp__`. A name that speaks of a source never
 * yet asked has that one source asked first; a name of a known tool never waits.
 */
export async function resolveTool(name: string, signal: StopSignal, door: FrontDoor): Promise<ResolvedTool> {
  const known = door.catalogue.catalogue.resolveTool(name);
  if (known.kind === 'found') return known;
  const silent = known.kind === 'unknown' ? await door.catalogue.ensureAsked(name, signal) : undefined;
  const resolution = door.catalogue.catalogue.resolveTool(name);
  switch (resolution.kind) {
    case 'found':
      return resolution;
    case 'ambiguous':
      return refused('AMBIGUOUS_TOOL', `Ambiguous tool ${quote(name)}: it could be ${resolution.names.join(' or ')}.`, {
        candidates: resolution.names,
      });
    case 'unknown':
      return silent === undefined
        ? refused('UNKNOWN_TOOL', `Unknown tool ${quote(name)}. tools/list tells what there is.`)
        : { kind: 'silent', tool: unknownTool(sourceName(silent), name) };
  }
}

/** What can be said of a tool before its source has said anything: least is assumed. */
const unknownTool = (domain: string, name: string): CallFacts['tool'] => ({
  domain,
  tool: name.startsWith(`${domain}.`) ? name.slice(domain.length + 1) : name,
  policy: { effect: 'write' },
  declaresOutput: false,
  wrapsOutput: false,
});

const refused = (code: Fault['code'], message: string, data?: Record<string, unknown>): ResolvedTool => ({
  kind: 'refused',
  answer: { kind: 'error', status: 200, code: INVALID_PARAMS, message, data: { code, ...data } },
});

/** A name as it may be repeated to its sender: bounded, and never more than one line. */
const quote = (name: string): string => JSON.stringify(name.length > 128 ? `${name.slice(0, 128)}…` : name);
