import type { ServerChange } from '@portico/contracts';
import type { AdminParts } from './admin-parts.js';
import { changed } from './change-reply.js';
import { edit } from './edit-server.js';

/** Switches a server on or off. */
export const toggle = (parts: AdminParts, name: string, enabled: boolean): Promise<ServerChange> =>
  changed(parts, name, () => edit(parts, name, () => ({ enabled })));
