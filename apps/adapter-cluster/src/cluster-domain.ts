import { randomUUID } from 'node:crypto';
import { Fault } from '@portico/contracts';
import type { CatalogueTool, SourceCatalogue, ToolCallRequest, ToolDefinition, ToolResult } from '@portico/contracts';
import type { Bus, Incoming } from '@portico/bus';
import { revisionOf, serveSource } from '@portico/domain-kit';
import type { ServedSource, SourceHealthReport, SourceService } from '@portico/domain-kit';
import type { ServerCatalogue } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import { CONNECT_TIMEOUT_MS, ClusterClient } from './client.js';
import type { AdapterClusterConfig } from './config.js';
import { DenyList } from './deny.js';
import { effectOf } from './effects.js';

const VERSION = '0.1.0';

/** `cluster.*`: the tools of a Kubernetes MCP server, less those that this gateway does not hand on. */
export class ClusterDomain implements SourceService {
  readonly address = 'domain.cluster';
  readonly version = VERSION;
  readonly configuration: string;
  readonly connectTimeoutMs = CONNECT_TIMEOUT_MS;
  private readonly client: ClusterClient;
  private readonly denied: DenyList;
  private served: ServedSource | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly config: AdapterClusterConfig,
    private readonly log: Log,
  ) {
    const { target, readOnly, deny, allow, callTimeoutMs } = config;
    this.configuration = revisionOf([VERSION, target, readOnly, deny, allow, callTimeoutMs]);
    this.denied = new DenyList(deny, allow);
    this.client = new ClusterClient(target, log);
    this.client.onChanged(() => this.served?.changed());
  }

  /** Serves it; the server itself is first asked when somebody needs it. */
  async onApplicationBootstrap(): Promise<void> {
    this.served = await serveSource(this.bus, this, { instance: randomUUID(), log: this.log });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.served?.close();
    await this.client.close();
  }

  async catalogue(options: { refresh: boolean; signal: AbortSignal }): Promise<Omit<SourceCatalogue, 'revision'>> {
    const server = await this.client.catalogue(options);
    return {
      identity: this.identity(server),
      tools: server.tools.filter(({ name }) => !this.isWithheld(name)).map(catalogueTool),
      resources: [],
      resourceTemplates: [],
      prompts: [],
    };
  }

  async callTool(request: ToolCallRequest, incoming: Incoming): Promise<ToolResult> {
    if (this.isWithheld(request.tool)) {
      throw new Fault('PERMISSION_DENIED', 'This tool of the cluster is not offered here.', { executed: 'no' });
    }
    this.denied.checkKinds(request);
    return this.client.callTool(request, incoming);
  }

  async health({ signal }: Incoming): Promise<SourceHealthReport> {
    try {
      await this.client.catalogue({ refresh: true, signal });
      return { state: 'up' };
    } catch (error) {
      return { state: 'down', detail: Fault.from(error).code };
    }
  }

  private isWithheld(tool: string): boolean {
    return this.denied.tool(tool) || (this.config.readOnly && effectOf(tool) !== 'read');
  }

  private identity({ instructions, serverInfo, ...server }: ServerCatalogue): SourceCatalogue['identity'] {
    return {
      description: 'A Kubernetes cluster: its pods, nodes, events and other resources.',
      era: server.era,
      protocolVersion: server.protocolVersion,
      ...(serverInfo && { serverInfo }),
      capabilities: server.capabilities['tools'] === undefined ? {} : { tools: server.capabilities['tools'] },
      ...(instructions !== undefined && { instructions }),
      mount: 'namespace',
      callTimeoutMs: this.config.callTimeoutMs,
      ...(server.ttlMs !== undefined && { ttlMs: server.ttlMs }),
      ...(server.cacheScope && { cacheScope: server.cacheScope }),
    };
  }
}

function catalogueTool(definition: ToolDefinition): CatalogueTool {
  const effect = effectOf(definition.name);
  // Whatever changes a cluster can change the answer of every tool that reads it.
  return { definition, policy: { effect, ...(effect !== 'read' && { invalidates: ['cluster.*'] }) } };
}
