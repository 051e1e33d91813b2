import { Fault, type ReplyOf, type SourceCatalogue, type readResource } from '@portico/contracts';
import { manifestJson } from '../manifest/manifest.js';
import type { Access } from '../policy/policy.js';
import type { PublishedCatalogue } from '../published-catalogue.js';
import { toolsOfPattern } from '../state-sync/stale-patterns.js';
import { STALE_TEMPLATE, patternOfUri } from '../state-sync/stale-uri.js';

type Read = ReplyOf<ReturnType<typeof readResource>>;

const MANIFEST_URI = 'portico://manifest.json';
const MIME_TYPE = 'application/json';

/** The gateway's own resources, as they are listed; `manifest`: whether there is one to read. */
export const gatewayResources = (manifest: boolean): Pick<SourceCatalogue, 'resources' | 'resourceTemplates'> => ({
  resources: manifest
    ? [
        {
          uri: MANIFEST_URI,
          name: 'manifest',
          title: 'Manifest',
          description:
            'Every domain and tool that you may see, what each does to the world, and the policies that hold for it, with a digest.',
          mimeType: MIME_TYPE,
        },
      ]
    : [],
  resourceTemplates: [
    {
      uriTemplate: STALE_TEMPLATE,
      name: 'stale',
      title: 'What may have gone stale',
      description:
        'The tools that a pattern such as billing.get_* names. Subscribe to it to be told when what they answered may have gone stale.',
      mimeType: MIME_TYPE,
    },
  ],
});

/** Reads one of them as somebody with this access may see it; throws NOT_FOUND. */
export function readGatewayResource(
  uri: string,
  catalogue: PublishedCatalogue,
  access: Access,
  manifest: boolean,
): Read {
  const contents = (text: string): Read => ({ contents: [{ uri, mimeType: MIME_TYPE, text }] });
  if (uri === MANIFEST_URI && manifest) return contents(manifestJson(catalogue, access));
  const pattern = patternOfUri(uri);
  if (pattern === undefined) {
    const message =
      'Resource not found. After portico://stale/ stands a pattern over <domain>.<tool>, such as billing.get_*.';
    throw new Fault('NOT_FOUND', message);
  }
  const tools = toolsOfPattern(catalogue, pattern).filter((tool) => access.allows(tool));
  return contents(JSON.stringify({ pattern, tools: tools.map(({ published }) => published).sort() }));
}
