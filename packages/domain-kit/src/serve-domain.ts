import { Fault, SourceAddress } from '@portico/contracts';
import type { SourceCatalogue } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import { scopeOf } from './call-scope.js';
import { domainCallTimeoutMs } from './call-timeout.js';
import { completionOf } from './completion.js';
import { domainProblems } from './domain.js';
import type { Domain } from './domain.js';
import { revisionOf } from './revision.js';
import { serveSource } from './serve-source.js';
import type { CompleteRequest, ServeSourceOptions, ServedSource, SourceService } from './serve-source.js';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Serves a domain of ours on the bus. Rejects with one sentence naming the domain and everything wrong with it before
 * anything is served; closing what it resolves to ends it.
 */
export async function serveDomain(bus: Bus, domain: Domain, options: ServeSourceOptions): Promise<ServedSource> {
  const problems = domainProblems(domain);
  if (problems.length > 0) throw new Error(`The domain "${domain.name}" cannot start. ${problems.join(' ')}`);
  const served = await serveSource(bus, serviceOf(domain, options), options);
  return {
    ...served,
    resourceUpdated(uri) {
      if (resourceAt(domain, uri)?.resource.subscribable) served.resourceUpdated(uri);
      else options.log?.warn('domain.update-of-unsubscribable', { domain: domain.name });
    },
  };
}

function serviceOf(domain: Domain, { log }: ServeSourceOptions): SourceService {
  const catalogue = catalogueOf(domain);
  const tools = new Map(domain.tools.map((tool) => [tool.name, tool]));
  const prompts = new Map((domain.prompts ?? []).map((prompt) => [prompt.name, prompt]));
  const found = <T>(thing: T | undefined, what: string): T => {
    if (thing === undefined)
      throw new Fault('NOT_FOUND', `This domain has no such ${what}.`, {
        rpc: { code: -32602, message: `No such ${what}.` },
      });
    return thing;
  };
  const completersFor = (ref: CompleteRequest['ref']) =>
    ref.type === 'ref/prompt'
      ? found(prompts.get(String(ref['name'])), 'prompt').complete
      : found(
          domain.resources?.find(({ template }) => template.template === ref['uri']),
          'resource template',
        ).complete;
  const { health } = domain;
  return {
    address: SourceAddress.parse(`domain.${domain.name}`),
    version: domain.version,
    configuration: revisionOf([domain.version, catalogue]),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    catalogue: async () => catalogue,
    async callTool(request, incoming) {
      const tool = tools.get(request.tool);
      if (!tool) throw new Fault('UNKNOWN_TOOL', 'This domain has no tool of that name.', { executed: 'no' });
      return tool.call(request.arguments, scopeOf(incoming, log));
    },
    async readResource({ uri }, incoming) {
      const { resource, variables } = found(resourceAt(domain, uri), 'resource');
      return resource.read(uri, variables, scopeOf(incoming, log));
    },
    getPrompt: async (request, incoming) =>
      found(prompts.get(request.name), 'prompt').get(request.arguments ?? {}, scopeOf(incoming, log)),
    complete: async (request, incoming) =>
      completionOf(completersFor(request.ref), request.argument, request.context, scopeOf(incoming, log)),
    ...(health && { health: (incoming) => health.call(domain, scopeOf(incoming, log)) }),
  };
}

/** The first resource whose template matches; plain URIs before families of them. */
function resourceAt(domain: Domain, uri: string) {
  const byExactness = [...(domain.resources ?? [])].sort(
    (a, b) => Math.sign(a.template.variables.length) - Math.sign(b.template.variables.length),
  );
  for (const resource of byExactness) {
    const variables = resource.template.match(uri);
    if (variables) return { resource, variables };
  }
  return undefined;
}

function catalogueOf(domain: Domain): Omit<SourceCatalogue, 'revision'> {
  const resources = domain.resources ?? [];
  const prompts = domain.prompts ?? [];
  const completes = [...resources, ...prompts].some(({ complete }) => Object.keys(complete).length > 0);
  const isFamily = ({ template }: (typeof resources)[number]) => template.variables.length > 0;
  return {
    identity: {
      description: domain.description,
      era: 'modern',
      protocolVersion: '2026-07-28',
      serverInfo: { name: domain.name, version: domain.version },
      capabilities: {
        tools: {},
        ...(resources.length > 0 && { resources: { subscribe: resources.some(({ subscribable }) => subscribable) } }),
        ...(prompts.length > 0 && { prompts: {} }),
        ...(completes && { completions: {} }),
      },
      ...(domain.instructions !== undefined && { instructions: domain.instructions }),
      mount: 'namespace',
      callTimeoutMs: domain.callTimeoutMs ?? domainCallTimeoutMs(),
    },
    tools: domain.tools.map(({ listing }) => listing),
    resources: resources
      .filter((resource) => !isFamily(resource))
      .map(({ template, listing }) => ({ uri: template.template, ...listing })),
    resourceTemplates: resources
      .filter(isFamily)
      .map(({ template, listing }) => ({ uriTemplate: template.template, ...listing })),
    prompts: prompts.map(({ listing }) => listing),
  };
}
