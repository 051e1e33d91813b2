import type { SourceAddress, SourceIdentity } from '@portico/contracts';
import type { LeftOut } from './left-out.js';
import type { Ruled } from './policy/policy.js';
import { type PreparedResources, publishedJson } from './prepared-resources.js';
import { isOwnUri } from './state-sync/stale-uri.js';
import type { TemplateMatcher } from './uri-template.js';

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

interface ResourceSource {
  readonly domain: string;
  readonly address: SourceAddress;
  readonly identity: Pick<SourceIdentity, 'callTimeoutMs'>;
  readonly resources: PreparedResources;
}

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
  constructor(sources: readonly ResourceSource[], report: (left: LeftOut) => void) {
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
        this.resources.push({ json: publishedJson(item, 'uri', published), ...ruled });
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
        this.templates.push({ json: publishedJson(item, 'uriTemplate', published), ...ruled });
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
