import type { Documents, Json } from '@portico/storage';
import { z } from 'zod';

/** An entry as it was saved by API, with the name as it was written. */
export interface StoredEntry {
  readonly spelled: string;
  readonly given: Json;
}

/** What was changed by API of a built-in server. */
export interface BuiltinChange {
  readonly enabled?: boolean | undefined;
  readonly hiddenTools?: readonly string[] | undefined;
}

export interface StoredServers {
  readonly entries: readonly StoredEntry[];
  /** By name. */
  readonly builtin: ReadonlyMap<string, BuiltinChange>;
}

const ENTRIES = 'servers';
const BUILTIN = 'builtin-servers';
const Entry = z.object({ spelled: z.string(), given: z.unknown() });
const Builtin = z.object({ enabled: z.boolean().optional(), hiddenTools: z.array(z.string()).optional() });

/** What was saved by API, in the database or in files beside it. Ids are names as they are published. */
export class ServerStore {
  constructor(private readonly documents: Documents) {}

  async read(): Promise<StoredServers> {
    const [entries, builtin] = await Promise.all([this.documents.list(ENTRIES), this.documents.list(BUILTIN)]);
    return {
      entries: entries.flatMap(({ value }) => {
        const { data } = Entry.safeParse(value);
        return data === undefined ? [] : [{ spelled: data.spelled, given: data.given as Json }];
      }),
      builtin: new Map(builtin.map(({ id, value }) => [id, Builtin.safeParse(value).data ?? {}])),
    };
  }

  putEntry(name: string, { spelled, given }: StoredEntry): Promise<void> {
    return this.documents.put(ENTRIES, name, { spelled, given });
  }

  deleteEntry(name: string): Promise<boolean> {
    return this.documents.delete(ENTRIES, name);
  }

  putBuiltin(name: string, { enabled, hiddenTools }: BuiltinChange): Promise<void> {
    const change = { ...(enabled !== undefined && { enabled }), ...(hiddenTools !== undefined && { hiddenTools }) };
    return this.documents.put(BUILTIN, name, change);
  }
}
