import { z } from 'zod';

const SubscriptionFilter = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).optional(),
});

/** What one subscription asks to hear of, as far as it is honoured: so it is acknowledged. */
export interface Honoured {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** Most resources of one subscription, and most characters of all their URIs: what is beyond is not honoured. */
const URIS_LIMIT = 256;
const CHARACTERS_LIMIT = 32_768;

/** The filter of a `subscriptions/listen`; `undefined` for what is none. */
export function honouredFilter(params: Readonly<Record<string, unknown>> | undefined): Honoured | undefined {
  const parsed = SubscriptionFilter.safeParse(params?.['notifications']);
  if (!parsed.success) return undefined;
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } = parsed.data;
  const uris = bounded(new Set(resourceSubscriptions));
  return {
    ...(toolsListChanged === true && { toolsListChanged }),
    ...(promptsListChanged === true && { promptsListChanged }),
    ...(resourcesListChanged === true && { resourcesListChanged }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}

function bounded(given: ReadonlySet<string>): string[] {
  const uris: string[] = [];
  let characters = 0;
  for (const uri of given) {
    if (uris.length >= URIS_LIMIT || characters + uri.length > CHARACTERS_LIMIT) break;
    characters += uri.length;
    uris.push(uri);
  }
  return uris;
}
