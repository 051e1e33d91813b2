import type {
  ResourceDefinition,
  ResourceTemplateDefinition,
  SourceAddress,
  SourceCatalogue,
  SourceIdentity,
} from '@portico/contracts';
import type { z } from 'zod';
import type { LeftOut } from './left-out.js';
import type { Ruled } from './policy/policy.js';
import { isOwnUri } from './state-sync/stale-uri.js';
import { templateMatcher, type TemplateMatcher } from './uri-template.js';
import { isShallow, withoutMalformed } from './well-formed.js';

type Resource = z.infer<typeof ResourceDefinition>;
type Template = z.infer<typeof ResourceTemplateDefinition>;

/** Where a published URI is read, and what it is called there. */
export interface ResourceRoute extends Ruled {
  readonly domain: string;
  readonly address: SourceAddress;
  readonly uri: string;
  /** Deadline of a read, in milliseconds: its source's own. */
  readonly callTimeoutMs: number;
}

interface ListedResource extends Ruled {
  readonly json: string;
}

interface TemplateRoute extends Omit<ResourceRoute, 'uri'> {
  readonly template: string;
  /** What its published URIs begin with and its own do not. */
  readonly prefix: string;
  readonly matcher: TemplateMatcher;
}

interface PreparedItem<T> {
  readonly key: string;
  readonly definition: T;
  readonly matcher?: TemplateMatcher;
  /** The JSON of the definition under each name it has been published by. */
  made?: { readonly published: string; readonly json: string };
}

/** The resources and templates of one source that clients can take. */
export interface PreparedResources {
  readonly resources: readonly PreparedItem<Resource>[];
  readonly templates: readonly PreparedItem<Template>[];
}

interface ResourceSource {
  readonly domain: string;
  readonly address: SourceAddress;
  readonly identity: Pick<SourceIdentity, 'callTimeoutMs'>;
  readonly resources: PreparedResources;
}

type Report = (left: LeftOut) => void;

/** Most templates of one source: each is tried in turn for a URI that no list names. */
const TEMPLATES_LIMIT = 200;

const mend = <T extends Record<string, unknown>>(
  definition: T,
  key: string,
  kind: 'resource' | 'template',
  domain: string,
  report: Report,
) => {
  const left = { domain, kind, name: key };
  if (!isShallow(definition)) return void report({ ...left, reason: 'its definition is nested too deeply' });
  const mended = withoutMalformed(definition, kind);
  for (const dropped of mended.dropped) report({ ...left, key: dropped, reason: `its ${dropped} is malformed` });
  return mended.definition;
};

export const prepareResources = (catalogue: SourceCatalogue, domain: string, report: Report): PreparedResources => {
  const resources: PreparedItem<Resource>[] = [];
  for (const resource of catalogue.resources) {
    const definition = mend(resource, resource.uri, 'resource', domain, report);
    if (definition !== undefined) resources.push({ key: resource.uri, definition });
  }
  const templates: PreparedItem<Template>[] = [];
  for (const template of catalogue.resourceTemplates) {
    const key = template.uriTemplate;
    const matcher = templates.length < TEMPLATES_LIMIT ? templateMatcher(key) : undefined;
    if (matcher === undefined)
      report({ domain, kind: 'template', name: key, reason: 'it is malformed, too long, or one too many' });
    const definition = matcher && mend(template, key, 'template', domain, report);
    if (definition !== undefined && matcher !== undefined) templates.push({ key, definition, matcher });
  }
  return { resources, templates };
};

const jsonOf = <T extends object>(item: PreparedItem<T>, field: 'uri' | 'uriTemplate', published: string): string => {
  if (item.made?.published !== published)
    item.made = { published, json: JSON.stringify({ ...item.definition, [field]: published }) };
  return item.made.json;
};

/** Rules know a resource by its name; reading one changes nothing. */
const ruledAs = (domain: string, { name }: { readonly name: string }): Ruled => ({
  fullName: `${domain}.${name}`,
  effect: 'read',
});

const routeOf = ({ domain, address, callTimeoutMs, fullName, effect }: TemplateRoute, uri: string): ResourceRoute => ({
  domain,
  address,
  callTimeoutMs,
  fullName,
  effect,
  uri,
});

/** Whose own resources no source publishes, and no template of a source covers, however wide it is. */
const GATEWAY: SourceAddress = 'domain.gateway';

/** Routes every published URI to its source: by a map for those listed, in order of domains for those a template covers. */
export class ResourceRoutes {
  readonly #routes = new Map<string, ResourceRoute>();
  readonly #published = new Map<string, string>();
  readonly #templates = new Map<string, TemplateRoute>();
  readonly #domains: ReadonlySet<string>;
  /** What is listed, in its order. */
  readonly resources: ListedResource[] = [];
  readonly templates: ListedResource[] = [];

  /** `sources` come in the order of their names: the first to publish a URI keeps it. */
  constructor(sources: readonly ResourceSource[], report: Report) {
    this.#domains = new Set(sources.map((source) => source.domain));
    for (const { domain, address, identity, resources: prepared } of sources) {
      const { callTimeoutMs } = identity;
      const own = { resource: new Set<string>(), template: new Set<string>() };
      const place = (
        key: string,
        kind: 'resource' | 'template',
        taken: ReadonlyMap<string, unknown>,
      ): string | undefined => {
        const published =
          taken.has(key) || this.#looksPrefixed(key) || (isOwnUri(key) && address !== GATEWAY)
            ? `${domain}+${key}`
            : key;
        if (!own[kind].has(key) && !taken.has(published)) {
          own[kind].add(key);
          return published;
        }
        report({ domain, kind, name: key, reason: 'it is published twice' });
        return undefined;
      };
      for (const item of prepared.resources) {
        const published = place(item.key, 'resource', this.#routes);
        if (published === undefined) continue;
        const ruled = ruledAs(domain, item.definition);
        this.#routes.set(published, { domain, address, callTimeoutMs, uri: item.key, ...ruled });
        this.#published.set(`${address} ${item.key}`, published);
        this.resources.push({ json: jsonOf(item, 'uri', published), ...ruled });
      }
      for (const item of prepared.templates) {
        const published = item.matcher && place(item.key, 'template', this.#templates);
        if (published === undefined || item.matcher === undefined) continue;
        const prefix = published === item.key ? '' : `${domain}+`;
        const ruled = ruledAs(domain, item.definition);
        this.#templates.set(published, {
          domain,
          address,
          callTimeoutMs,
          template: item.key,
          prefix,
          matcher: item.matcher,
          ...ruled,
        });
        this.templates.push({ json: jsonOf(item, 'uriTemplate', published), ...ruled });
      }
    }
  }

  /** The source to read a published URI from; `undefined` when none has it. */
  find(uri: string): ResourceRoute | undefined {
    const listed = this.#routes.get(uri);
    if (listed !== undefined) return listed;
    for (const template of this.#templates.values()) {
      if (!uri.startsWith(template.prefix) || (isOwnUri(uri) && template.address !== GATEWAY)) continue;
      const own = uri.slice(template.prefix.length);
      if (template.matcher.matches(own)) return routeOf(template, own);
    }
    return undefined;
  }

  /** The source of a published template (or, failing that, URI): completion asks about either. */
  findTemplate(template: string): ResourceRoute | undefined {
    const known = this.#templates.get(template);
    if (known === undefined) return this.find(template);
    return routeOf(known, known.template);
  }

  /** The URI under which clients know a source's resource. */
  publishedUri(address: SourceAddress, uri: string): string {
    const listed = this.#published.get(`${address} ${uri}`);
    if (listed !== undefined) return listed;
    for (const template of this.#templates.values())
      if (template.address === address && template.matcher.matches(uri)) return `${template.prefix}${uri}`;
    return uri;
  }

  /** A URI that begins like those we make of another's must not be taken for one. */
  #looksPrefixed(uri: string): boolean {
    const plus = uri.indexOf('+');
    return plus > 0 && plus <= 32 && this.#domains.has(uri.slice(0, plus));
  }
}
