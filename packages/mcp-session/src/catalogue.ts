import type { z } from 'zod';
import type { PromptDefinition, ResourceDefinition, ResourceTemplateDefinition, ToolDefinition } from '@portico/contracts';

/** All that one MCP server publishes, every page of it, each item exactly as it came. */
export interface ServerCatalogue {
  readonly era: 'modern' | 'legacy';
  readonly protocolVersion: string;
  readonly serverInfo?: Record<string, unknown>;
  readonly capabilities: Record<string, unknown>;
  readonly instructions?: string;
  readonly tools: ToolDefinition[];
  readonly resources: z.infer<typeof ResourceDefinition>[];
  readonly resourceTemplates: z.infer<typeof ResourceTemplateDefinition>[];
  readonly prompts: z.infer<typeof PromptDefinition>[];
  /** The shortest time that any of its pages stays true; absent when the server does not say. */
  readonly ttlMs?: number;
  /** `public` only when every page is. */
  readonly cacheScope?: 'public' | 'private';
}
