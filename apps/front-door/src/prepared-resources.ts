import type { ResourceDefinition, ResourceTemplateDefinition, SourceCatalogue } from '@portico/contracts';
import type { z } from 'zod';
import type { LeftOut } from './left-out.js';
import { templateMatcher, type TemplateMatcher } from './uri-template.js';
import { isShallow, withoutMalformed } from './well-formed.js';

type Resource = z.infer<typeof ResourceDefinition>;
type Template = z.infer<typeof ResourceTemplateDefinition>;
type Report = (left: LeftOut) => void;

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

/** What of a source's resources and templates is well-formed; whatever is left out is reported. */
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

/** The definition as JSON under the URI it is published by, made anew only when that has changed. */
export const publishedJson = <T extends object>(
  item: PreparedItem<T>,
  field: 'uri' | 'uriTemplate',
  published: string,
): string => {
  if (item.made?.published !== published)
    item.made = { published, json: JSON.stringify({ ...item.definition, [field]: published }) };
  return item.made.json;
};
