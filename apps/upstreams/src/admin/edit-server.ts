import type { Json } from '@portico/storage';
import type { BuiltinChange } from '../server-store.js';
import { normalisedName } from '../server-name.js';
import type { AdminParts } from './admin-parts.js';
import { refuse, serverNamed } from './change-reply.js';

/**
 * Changes `enabled` or `hiddenTools` of a server: in the entry that was saved by API, or beside a built-in one. Throws
 * READ_ONLY_ENTRY for a server of the file.
 */
export async function edit(
  parts: AdminParts,
  spelled: string,
  change: (present: BuiltinChange) => Promise<BuiltinChange> | BuiltinChange,
): Promise<void> {
  const { store } = parts.configuration;
  const { source, entry } = serverNamed(parts, spelled);
  const name = normalisedName(spelled);
  if (source === 'file') refuse('READ_ONLY_ENTRY', 'name', `the server "${name}" is one of the servers file`);
  const present = { enabled: entry.enabled, hiddenTools: [...entry.hiddenTools] };
  const { enabled, hiddenTools } = { ...present, ...(await change(present)) };
  if (source === 'builtin') return store.putBuiltin(name, { enabled, hiddenTools });
  const saved = (await store.read()).entries.find((one) => normalisedName(one.spelled) === name)!;
  const given = { ...(saved.given as Record<string, Json>), enabled, hiddenTools } as Json;
  return store.putEntry(name, { spelled: saved.spelled, given });
}
