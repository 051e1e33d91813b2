import { FIXED_DOMAINS, Fault } from '@portico/contracts';
import type { SourceCatalogue, ToolDefinition } from '@portico/contracts';
import type { Incoming } from '@portico/bus';
import { revisionOf } from '@portico/domain-kit';
import type { SourceService } from '@portico/domain-kit';
import type { HeldSession, ServerCatalogue, UseOptions } from '@portico/mcp-session';
import { shapedResult } from './results.js';
import type { ServerEntry } from './server-entry.js';

export interface UpstreamServiceOptions {
  readonly version: string;
  /** Deadline of a call when the entry names none, in milliseconds. */
  readonly callTimeoutMs: number;
}

/** One MCP server as a source on the bus: what it publishes, less what is hidden, and its results within their limit. */
export function upstreamService(
  entry: ServerEntry,
  session: HeldSession,
  { version, callTimeoutMs }: UpstreamServiceOptions,
): SourceService {
  const { name } = entry;
  const isOffered = (tool: string): boolean => !entry.hiddenTools.has(tool) && !isReserved(tool, entry.mount);
  const use = ({ stop, wantsNotices, notify }: Incoming): UseOptions => ({
    signal: stop,
    onNotice: wantsNotices ? notify : undefined,
  });
  return {
    address: `upstream.${name}`,
    version,
    configuration: revisionOf({ ...entry, hiddenTools: [...entry.hiddenTools] }),
    connectTimeoutMs: entry.connectTimeoutMs,
    catalogue: async (options) =>
      sourceCatalogue(await session.catalogue(options), entry, entry.callTimeoutMs ?? callTimeoutMs, isOffered),
    callTool: async (request, incoming) => {
      if (!isOffered(request.tool)) {
        throw new Fault('UNKNOWN_TOOL', `The server "${name}" has no tool of that name.`, { executed: 'no' });
      }
      return shapedResult(await session.callTool(request, use(incoming)), entry.outputLimit);
    },
    readResource: (request, incoming) => session.readResource(request, use(incoming)),
    getPrompt: (request, incoming) => session.getPrompt(request, use(incoming)),
    complete: (request, incoming) => session.complete(request, use(incoming)),
    // Looking must not start a server: one that nobody has used yet is as well as it can be.
    health: async () => ({ state: session.state === 'failed' ? 'down' : 'up' }),
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
  isOffered: (tool: string) => boolean,
): Omit<SourceCatalogue, 'revision'> {
  const { tools, resources, resourceTemplates, prompts, ...identity } = found;
  return {
    identity: { ...identity, description: entry.description, mount: entry.mount, callTimeoutMs },
    tools: tools
      .filter(({ name }) => isOffered(name))
      // Whatever the server hints at, its tools are taken to write: its word is not trusted.
      .map((definition: ToolDefinition) => ({ definition, policy: { effect: 'write' } })),
    resources,
    resourceTemplates,
    prompts,
  };
}
