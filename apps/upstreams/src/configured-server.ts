import { revisionOf } from '@portico/domain-kit';
import type { ServerEntry } from './server-entry.js';

/** A server of the configuration: its entry, and where that comes from. */
export interface ConfiguredServer {
  /** The name as it was written; `entry.name` is what it is published as. */
  readonly spelled: string;
  readonly source: 'builtin' | 'file' | 'api';
  /** From here a relative `cwd` counts; absolute. */
  readonly folder: string;
  readonly entry: ServerEntry;
}

/** Hash of all that its connection depends on: when it is the same, a changed entry needs no new session. */
export const connectionRevision = ({ folder, entry }: ConfiguredServer): string =>
  revisionOf({
    folder,
    transport: entry.transport,
    connectTimeoutMs: entry.connectTimeoutMs,
    session: entry.session,
    mount: entry.mount,
  });

/** Hash of all of it. */
export const serverRevision = ({ folder, source, entry }: ConfiguredServer): string =>
  revisionOf({ folder, source, ...entry, hiddenTools: [...entry.hiddenTools].sort() });
