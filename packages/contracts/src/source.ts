import { z } from 'zod';

/** Names that belong to our own domains; no configured server may take one. */
export const FIXED_DOMAINS = ['gateway', 'task', 'cluster', 'dagger', 'plane', 'n8n', 'slack', 'github'] as const;

/** The name of a source: what stands before the first dot of its tools. */
export const SourceName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,31}$/,
    'a source name is 1 to 32 of a-z, 0-9 and "-", and begins with a letter or digit',
  );

/** Where a source is reached on the bus: a domain service, or an MCP server that `upstreams` holds. */
export const SourceAddress = z.templateLiteral([z.enum(['domain', 'upstream']), '.', SourceName]);
export type SourceAddress = z.infer<typeof SourceAddress>;

export const sourceName = (address: SourceAddress): string => address.slice(address.indexOf('.') + 1);
