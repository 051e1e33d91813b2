import { FIXED_DOMAINS, Fault } from '@portico/contracts';
import type { SourceCatalogue, ToolDefinition, ToolPolicy } from '@portico/contracts';
import type { Incoming } from '@portico/bus';
import type { SourceService } from '@portico/domain-kit';
import type { HeldSession, ServerCatalogue, UseOptions } from '@portico/mcp-session';
import { below, inSpan } from '@portico/observe';
import { shapedResult } from './results.js';
import type { ServerEntry } from './server-entry.js';
import type { ServerSessions } from './sessions/server-sessions.js';

export interface UpstreamServiceOptions {
  readonly version: string;
  /** Deadline of a call when the entry names none, in milliseconds. */
  readonly callTimeoutMs: number;
  /** Changes when the connection's configuration does. */
  readonly configuration: string;
  /** What is announced of a tool besides its definition. */
  readonly policyOf: (tool: string) => ToolPolicy;
}

/**
 * One MCP server as a source on the bus: what it publishes, less what is hidden, and its results within their limit.
 * `current` gives its entry as it is now: it may change while its sessions stay.
 */
export function upstreamService(
  current: () => ServerEntry,
  sessions: ServerSessions,
  { version, callTimeoutMs, configuration, policyOf }: UpstreamServiceOptions,
): SourceService {
  const { name, connectTimeoutMs } = current();
  const isOffered = (tool: string): boolean => {
    const { hiddenTools, mount } = current();
    return !hiddenTools.has(tool) && !isReserved(tool, mount);
  };
  /** In a span of its own; a server that is told the ids of a call is told that span's. */
  const ask = <Value>(
    method: string,
    target: string,
    incoming: Incoming,
    act: (session: HeldSession, use: UseOptions) => Promise<Value>,
  ): Promise<Value> =>
    inSpan('client', method, target, incoming.context?.traceparent, (span) => {
      const { stop, wantsNotices, notify, context } = incoming;
      span?.set('peer.service', name);
      const use: UseOptions = {
        signal: stop,
        onNotice: wantsNotices ? notify : undefined,
        context: current().forwardContext ? context && below(span, context) : undefined,
      };
      return sessions.use(incoming, (session) => act(session, use));
    });
  return {
    address: `upstream.${name}`,
    version,
    configuration,
    connectTimeoutMs,
    catalogue: async (options) => {
      const found = await sessions.common.catalogue(options);
      const entry = current();
      const tools = found.tools
        .filter((definition) => isOffered(definition.name))
        .map((definition: ToolDefinition) => ({ definition, policy: policyOf(definition.name) }));
      return { ...sourceCatalogue(found, entry, entry.callTimeoutMs ?? callTimeoutMs), tools };
    },
    callTool: async (request, incoming) => {
      if (!isOffered(request.tool)) {
        throw new Fault('UNKNOWN_TOOL', `The server "${name}" has no tool of that name.`, { executed: 'no' });
      }
      const result = await ask('tools/call', request.tool, incoming, (session, use) => session.callTool(request, use));
      return shapedResult(result, current().outputLimit);
    },
    readResource: (request, incoming) =>
      ask('resources/read', '', incoming, (session, use) => session.readResource(request, use)),
    getPrompt: (request, incoming) =>
      ask('prompts/get', request.name, incoming, (session, use) => session.getPrompt(request, use)),
    complete: (request, incoming) =>
      ask('completion/complete', '', incoming, (session, use) => session.complete(request, use)),
    // Looking must not start a server: one that nobody has used yet is as well as it can be.
    health: async () => ({ state: sessions.common.state === 'failed' ? 'down' : 'up' }),
  };
}

/** Without a prefix of its own, a server could pose as one of our domains. */
const isReserved = (tool: string, mount: ServerEntry['mount']): boolean =>
  mount === 'root' &&
  FIXED_DOMAINS.some(
    (domain) => tool === domain || (/^[._]/.test(tool.slice(domain.length)) && tool.startsWith(domain)),
  );

function sourceCatalogue(
  found: ServerCatalogue,
  entry: ServerEntry,
  callTimeoutMs: number,
): Omit<SourceCatalogue, 'revision' | 'tools'> {
  const { tools: _tools, resources, resourceTemplates, prompts, ...identity } = found;
  return {
    identity: {
      ...identity,
      description: entry.description,
      mount: entry.mount,
      callTimeoutMs,
      ...(entry.session === 'per-principal' && { perPrincipal: true }),
    },
    resources,
    resourceTemplates,
    prompts,
  };
}
