import { createHash } from 'node:crypto';
import {
  Fault,
  type CatalogueTool,
  type Principal,
  type ReplyOf,
  type SourceAddress,
  type SourceCatalogue,
  type ToolResult,
  type readResource,
} from '@portico/contracts';
import { z } from 'zod';
import { describe, DescribeArguments } from './gateway/describe.js';
import { HealthArguments, health } from './gateway/health.js';
import { CacheStatsArguments, cacheStats } from './gateway/cache-stats.js';
import { gatewayResources, readGatewayResource } from './gateway/gateway-resources.js';
import { ReceiptsArguments, receipts } from './gateway/receipts.js';
import { MODERN_REVISION } from './protocol-revisions.js';
import type { GatewayView } from './gateway/gateway-view.js';

/** The domain `gateway`, which lives in the front door's own process: what there is, and how it is. */
export interface GatewayDomain {
  readonly address: SourceAddress;
  readonly catalogue: SourceCatalogue;
  /** Runs one of its tools by its name at the source; throws a Fault. */
  call(tool: string, args: Record<string, unknown>, principal: Principal): Promise<ToolResult>;
  /** Reads one of its resources as the principal may see it; throws a Fault. */
  readResource(uri: string, principal: Principal): ReplyOf<ReturnType<typeof readResource>>;
}

export interface GatewaySettings {
  /** Whether `portico://manifest.json` is there. */
  readonly manifest: boolean;
}

const CALL_TIMEOUT_MS = 10_000;

const TOOLS = {
  describe: {
    description:
      'Lists every domain behind this gateway with its status and tools. Give domain to see one alone, include_schemas to see the schemas of its tools.',
    input: DescribeArguments,
    run: (args: unknown, view: GatewayView, principal: Principal) =>
      describe(DescribeArguments.parse(args), view, view.accessOf(principal)),
  },
  health: {
    description:
      'Tells for each domain whether it is up, degraded, down or not yet asked, and how old what is known of it is.',
    input: HealthArguments,
    run: (_args: unknown, view: GatewayView) => health(view),
  },
  cache_stats: {
    description:
      'Tells what the response cache holds for your tenant, and for each tool how often it answered, how, and why similar questions were not answered.',
    input: CacheStatsArguments,
    run: (_args: unknown, view: GatewayView, principal: Principal) => cacheStats(view, principal),
  },
  receipts: {
    description:
      'Lists what was called for your tenant, newest first: when, which tool, how it ended; never arguments or results. Give correlation_id or task_id to see those calls alone. Needs the scope portico:receipts.',
    input: ReceiptsArguments,
    run: (args: unknown, view: GatewayView, principal: Principal) =>
      receipts(ReceiptsArguments.parse(args), view, principal),
  },
} as const;

const definitionOf = (name: keyof typeof TOOLS): CatalogueTool => ({
  definition: {
    name,
    description: TOOLS[name].description,
    inputSchema: z.toJSONSchema(TOOLS[name].input, { io: 'input' }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  policy: { effect: 'read' },
});

const ownCatalogue = ({ manifest }: GatewaySettings): SourceCatalogue => {
  const content: Omit<SourceCatalogue, 'revision'> = {
    identity: {
      description: 'The gateway itself: what domains and tools there are, and how they are.',
      era: 'modern',
      protocolVersion: MODERN_REVISION,
      capabilities: { tools: {}, resources: { subscribe: true } },
      mount: 'namespace',
      callTimeoutMs: CALL_TIMEOUT_MS,
    },
    tools: (Object.keys(TOOLS) as (keyof typeof TOOLS)[]).map(definitionOf),
    ...gatewayResources(manifest),
    prompts: [],
  };
  return { revision: createHash('sha256').update(JSON.stringify(content)).digest('hex'), ...content };
};

/** One sentence about the first thing wrong with the arguments. */
const argumentFault = (error: z.ZodError): Fault => {
  const issue = error.issues[0];
  const at = issue === undefined || issue.path.length === 0 ? 'arguments' : issue.path.join('.');
  return new Fault('INVALID_ARGUMENTS', `${at}: ${issue?.message ?? 'not understood'}`);
};

export const gatewayDomain = (view: GatewayView, settings: GatewaySettings): GatewayDomain => ({
  address: 'domain.gateway',
  catalogue: ownCatalogue(settings),
  async call(name, args, principal) {
    if (!Object.hasOwn(TOOLS, name)) throw new Fault('UNKNOWN_TOOL', 'The gateway has no such tool.');
    const tool = TOOLS[name as keyof typeof TOOLS];
    const parsed = tool.input.safeParse(args);
    if (!parsed.success) throw argumentFault(parsed.error);
    return { content: [{ type: 'text', text: JSON.stringify(await tool.run(parsed.data, view, principal)) }] };
  },
  readResource: (uri, principal) =>
    readGatewayResource(uri, view.catalogue(), view.accessOf(principal), settings.manifest),
});
