import type { ToolDefinition, ToolPolicy } from '@portico/contracts';

/** No max-age among them: a model has no clock. */
const DIRECTIVES = { cached: '[Cache-Control: immutable]', stale: '[Cache-Control: no-store]' } as const;

/**
 * A tool's definition with a description that says whether its answers may be relied on; the very same one where its policy
 * says nothing of that, or that it is not to be shown.
 */
export function decorated(definition: ToolDefinition, { staleness, decorate }: ToolPolicy): ToolDefinition {
  if (staleness === undefined || decorate === false) return definition;
  const said = definition['description'];
  const description = typeof said === 'string' && said !== '' ? `${said} ` : '';
  return { ...definition, description: description + DIRECTIVES[staleness] };
}
