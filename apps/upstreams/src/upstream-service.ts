import { FIXED_DOMAINS, Fault } from '@portico/contracts';
import type { SourceCatalogue, ToolDefinition, ToolPolicy } from '@portico/contracts';
import type { Incoming } from '@portico/bus';
import type { SourceService } from '@portico/domain-kit';
import type { ServerCatalogue, UseOptions } from '@portico/mcp-session';
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
  const use = ({ stop, wantsNotices, notify, context }: Incoming): UseOptions => ({
    signal: stop,
    onNotice: wantsNotices ? notify : undefined,
    context: current().forwardContext ? context : undefined,
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
      const result = await sessions.use(incoming, (session) => session.callTool(request, use(incoming)));
      return shapedResult(result, current().outputLimit);
    },
    readResource: (request, incoming) =>
      sessions.use(incoming, (session) => session.readResource(request, use(incoming))),
    getPrompt: (request, incoming) => sessions.use(incoming, (session) => session.getPrompt(request, use(incoming))),
    complete: (request, incoming) => sessions.use(incoming, (session) => session.complete(request, use(incoming))),
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
