import type { CatalogueTool, SourceAddress, SourceCatalogue, ToolDefinition, ToolPolicy } from '@portico/contracts';
import { CONTEXT_ARGUMENT, TASK_ARGUMENT, claims, withArguments } from './context/context-schemas.js';
import { spellOutBooleans, wrapOutputSchema } from './legacy-schema.js';
import type { LeftOut } from './left-out.js';
import { isRecord } from './mcp-request.js';
import { paramDeclarations, type ParamHeader } from './param-declarations.js';
import type { Era } from './protocol-revisions.js';
import type { Ruled } from './policy/policy.js';
import type { PublishRules } from './publish-rules.js';
import { publishedName, type Named } from './tool-names.js';
import { decorated } from './state-sync/decorated.js';
import { STALE_PATTERNS_LIMIT, isStalePattern } from './policy/stale-pattern.js';
import { isObjectSchema, isShallow, withoutMalformed } from './well-formed.js';

/** One tool as the front door offers it, and all that calling it needs. */
export interface PublishedTool extends Named, Ruled {
  readonly address: SourceAddress;
  /** Its name at the source; the same as `name`. */
  readonly tool: string;
  /** As 2026-07-28 clients see it. */
  readonly definition: ToolDefinition;
  /** As 2025 clients see it; the same object where nothing differs. */
  readonly legacyDefinition: ToolDefinition;
  /** Both as JSON, once. */
  readonly json: Readonly<Record<Era, string>>;
  readonly policy: ToolPolicy;
  /** Our own arguments that its source is never shown; a tool that has a say on such a name itself keeps it. */
  readonly taken: readonly string[];
  readonly callTimeoutMs: number;
  /** What it tells one principal is not for another. */
  readonly perPrincipal: boolean;
  /** Arguments that 2026-07-28 clients mirror into headers. */
  readonly paramHeaders: readonly ParamHeader[];
  readonly declaresOutput: boolean;
  /** 2025 clients were shown a wrapped output schema, so they are given wrapped output. */
  readonly wrapsOutput: boolean;
}

/** A tool of one source, ready but for the name to show, which depends on all others. */
export interface PreparedTool extends Omit<PublishedTool, 'shown' | 'json'> {
  /** The last one made of it, for the next snapshot to reuse. */
  made?: PublishedTool;
}

interface Preparation {
  readonly address: SourceAddress;
  readonly domain: string;
  readonly identity: SourceCatalogue['identity'];
  readonly rules: PublishRules;
  readonly report: (left: LeftOut) => void;
}

/** Clients refuse a whole list for one `inputSchema` that does not say `object`; arguments are always one, so it may be said. */
const withObjectType = (schema: Record<string, unknown>): Record<string, unknown> =>
  schema['type'] === undefined ? { ...schema, type: 'object' } : schema;

const forModern = (definition: ToolDefinition): ToolDefinition => {
  if (!Object.hasOwn(definition, 'execution')) return definition;
  // 2026-07-28 took the key out of the protocol.
  const { execution: _removed, ...rest } = definition;
  return rest;
};

const forLegacy = (definition: ToolDefinition): { legacy: ToolDefinition; wrapsOutput: boolean } => {
  const output = definition['outputSchema'];
  const inputSchema = spellOutBooleans(definition.inputSchema);
  const wrapsOutput = isRecord(output) && output['type'] !== 'object';
  const outputSchema = !isRecord(output)
    ? undefined
    : wrapsOutput
      ? wrapOutputSchema(output)
      : spellOutBooleans(output);
  const legacy =
    inputSchema === definition.inputSchema && outputSchema === output
      ? definition
      : { ...definition, inputSchema, ...(outputSchema !== undefined && { outputSchema }) };
  return { legacy, wrapsOutput };
};

/** Without patterns that nobody could be told of; those of the policy file were checked, those of a source were not. */
const withUsablePatterns = (policy: ToolPolicy): { policy: ToolPolicy; unusable: number } => {
  const { invalidates = [] } = policy;
  const usable = invalidates.filter(isStalePattern).slice(0, STALE_PATTERNS_LIMIT);
  const unusable = invalidates.length - usable.length;
  return { policy: unusable === 0 ? policy : { ...policy, invalidates: usable }, unusable };
};

/**
 * What a server declares, as far as it holds among tenants: it knows none, so that what one of them changes there is stale for the
 * others, whose answers are not dropped and who are not told. Where that is not so, the policy file says it.
 */
const amongTenants = ({ cache: _cache, staleness, ...rest }: ToolPolicy): ToolPolicy => ({
  ...rest,
  ...(staleness === 'stale' && { staleness }),
});

/** What is offered of a source's tool; nothing, with the reason reported, when no client could take it. */
export const prepareTool = (
  entry: CatalogueTool,
  { address, domain, identity, rules, report }: Preparation,
): PreparedTool | undefined => {
  const leave = (reason: string) => void report({ domain, kind: 'tool', name: entry.definition.name, reason });
  if (!isShallow(entry.definition)) return leave('its definition is nested too deeply');
  const { definition: mended, dropped } = withoutMalformed(entry.definition, 'tool');
  const output = mended['outputSchema'];
  const badOutput = isRecord(output) && output['type'] === 'object' && !isObjectSchema(output);
  const ownSchema = withObjectType(mended.inputSchema);
  if (!isObjectSchema(ownSchema)) return leave('its inputSchema is not a JSON Schema of type "object"');
  const headers = paramDeclarations(ownSchema);
  if (!headers.valid) return leave(`an invalid x-mcp-header: ${headers.reason}`);
  const fullName = `${domain}.${mended.name}`;
  const apart = rules.policy.severalTenants === true && address.startsWith('upstream.');
  const declared = apart ? amongTenants(entry.policy) : entry.policy;
  const { policy, unusable } = withUsablePatterns(rules.policy.toolPolicy(fullName, declared));
  if (unusable > 0)
    report({
      domain,
      kind: 'tool',
      name: mended.name,
      key: 'invalidates',
      reason: `${unusable} of its patterns can not be used`,
    });
  const taken = [CONTEXT_ARGUMENT, TASK_ARGUMENT].filter((name) => !claims(ownSchema, name));
  if (policy.lease !== undefined && !taken.includes(TASK_ARGUMENT))
    return leave(`its policy asks for a lease, but it has an argument ${TASK_ARGUMENT} of its own`);
  const inputSchema = withArguments(
    ownSchema,
    rules.contextInSchemas ? taken.filter((name) => name === CONTEXT_ARGUMENT) : [],
    policy.lease === undefined ? [] : [TASK_ARGUMENT],
  );
  const keys = badOutput ? [...dropped, 'outputSchema'] : dropped;
  for (const key of keys) report({ domain, kind: 'tool', name: mended.name, key, reason: `its ${key} is malformed` });
  const { outputSchema: _malformed, ...withoutOutput } = mended;
  const usable = badOutput ? withoutOutput : mended;
  const definition = decorated(
    inputSchema === usable.inputSchema ? (usable as ToolDefinition) : { ...usable, name: mended.name, inputSchema },
    policy,
  );
  const { legacy, wrapsOutput } = forLegacy(definition);
  return {
    address,
    domain,
    name: definition.name,
    tool: definition.name,
    published: publishedName(domain, definition.name, identity.mount),
    definition: forModern(definition),
    legacyDefinition: legacy,
    fullName,
    effect: policy.effect,
    policy,
    taken,
    callTimeoutMs: entry.callTimeoutMs ?? identity.callTimeoutMs,
    perPrincipal: identity.perPrincipal === true,
    paramHeaders: headers.declarations,
    declaresOutput: definition['outputSchema'] !== undefined,
    wrapsOutput,
  };
};

/** The tool under the name that clients are shown; the one made before when that has not changed. */
export const nameTool = (prepared: PreparedTool, shown: string): PublishedTool => {
  if (prepared.made?.shown === shown) return prepared.made;
  const { made: _before, ...facts } = prepared;
  const definition = { ...prepared.definition, name: shown };
  const same = prepared.legacyDefinition === prepared.definition;
  const legacyDefinition = same ? definition : { ...prepared.legacyDefinition, name: shown };
  const modern = JSON.stringify(definition);
  const json = { modern, legacy: same ? modern : JSON.stringify(legacyDefinition) };
  prepared.made = Object.freeze({ ...facts, shown, definition, legacyDefinition, json });
  return prepared.made;
};
