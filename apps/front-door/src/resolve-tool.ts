import { type Fault, MESSAGE_LIMIT, type StopSignal, sourceName } from '@portico/contracts';
import { CONTEXT_ARGUMENT, TASK_ARGUMENT } from './context/context-schemas.js';
import type { CalledTool } from './envelope.js';
import type { FrontDoor } from './front-door.js';
import type { Answer } from './mcp-request.js';
import { INVALID_PARAMS } from './mcp-request.js';
import { cutAt } from './redact.js';
import type { PublishedTool } from './published-tool.js';

/** A tool of which nothing is known but what its name says. */
export type SilentTool = CalledTool & Pick<PublishedTool, 'taken'>;

export type ResolvedTool =
  | { readonly kind: 'found'; readonly tool: PublishedTool }
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** The name speaks of a source that never answered, so what it offers is not known. */
  | { readonly kind: 'silent'; readonly tool: SilentTool };

/** The tool of that name, as published, folded or with `mcp__`, when its source is known: no call to it ever waits. */
export function knownTool(name: string, door: FrontDoor): Extract<ResolvedTool, { kind: 'found' }> | undefined {
  const resolution = door.catalogue.catalogue.resolveTool(name);
  return resolution.kind === 'found' ? { kind: 'found', tool: resolution.item } : undefined;
}

/**
 * For a name that no known tool has: has the one source it speaks of asked, if that never was, and looks again. Tells what
 * is wrong with a name that still is nobody's, or could be several tools'.
 */
export async function seekTool(name: string, signal: StopSignal, door: FrontDoor): Promise<ResolvedTool> {
  const isUnknown = door.catalogue.catalogue.resolveTool(name).kind === 'unknown';
  const silent = isUnknown ? await door.catalogue.ensureAsked(name, signal) : undefined;
  const resolution = door.catalogue.catalogue.resolveTool(name);
  switch (resolution.kind) {
    case 'found':
      return { kind: 'found', tool: resolution.item };
    case 'ambiguous':
      return refused('AMBIGUOUS_TOOL', `Ambiguous tool ${quote(name)}: it could be ${someOf(resolution.names)}.`, {
        candidates: resolution.names.slice(0, NAMED),
      });
    case 'unknown':
      if (!door.catalogue.isKnown)
        return { kind: 'silent', tool: unknownTool(name.slice(0, Math.max(0, name.indexOf('.'))), name) };
      return silent === undefined
        ? refused('UNKNOWN_TOOL', `Unknown tool ${quote(name)}. tools/list tells what there is.`)
        : { kind: 'silent', tool: unknownTool(sourceName(silent), name) };
  }
}

/** What can be said of a tool before its source has said anything: least is assumed, and a name is cut to what one may be. */
const unknownTool = (domain: string, name: string): SilentTool => ({
  domain: cutAt(domain, SHOWN_CHARACTERS),
  tool: cutAt(name.startsWith(`${domain}.`) ? name.slice(domain.length + 1) : name, SHOWN_CHARACTERS),
  policy: { effect: 'write' },
  taken: [CONTEXT_ARGUMENT, TASK_ARGUMENT],
  declaresOutput: false,
  wrapsOutput: false,
});

/** Of a name that nobody has, so much is repeated. */
const SHOWN_CHARACTERS = 128;
/** Of names that cannot be told apart, so many are named. */
const NAMED = 5;

export const someOf = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(' or ')}${names.length > NAMED ? ', or others' : ''}`;

const refused = (code: Fault['code'], message: string, data?: Record<string, unknown>): ResolvedTool => ({
  kind: 'refused',
  answer: {
    kind: 'error',
    status: 200,
    code: INVALID_PARAMS,
    message: cutAt(message, MESSAGE_LIMIT),
    data: { code, ...data },
  },
});

/** A name as it may be repeated to its sender: bounded, and never more than one line. */
const quote = (name: string): string =>
  JSON.stringify(name.length > SHOWN_CHARACTERS ? `${cutAt(name, SHOWN_CHARACTERS)}…` : name);
