import type { EraMemory } from '@portico/mcp-session';
import type { Log } from '@portico/observe';
import type { Documents } from '@portico/storage';

/** Verdicts by server; one that was had under another configuration says nothing. */
const COLLECTION = 'upstream-eras';

/** Keeps the verdict on a server's era over restarts. What can not be written is logged, and asked again next time. */
export function storedEra(
  documents: Documents,
  { server, configuration }: { readonly server: string; readonly configuration: string },
  log: Log,
): EraMemory {
  let written: number | undefined;
  return {
    async recall() {
      const found = await documents.get(COLLECTION, server);
      if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined;
      const { configuration: had, legacySince } = found as { configuration?: unknown; legacySince?: unknown };
      if (had !== configuration || typeof legacySince !== 'number') return undefined;
      return (written = legacySince);
    },
    remember(legacySince) {
      if (legacySince === written) return;
      written = legacySince;
      const done =
        legacySince === undefined
          ? documents.delete(COLLECTION, server)
          : documents.put(COLLECTION, server, { configuration, legacySince });
      done.catch((error: unknown) => log.warn('upstream.era-not-kept', { error }));
    },
  };
}
