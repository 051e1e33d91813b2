/** The revisions of MCP that the front door serves, newest first: exactly what it announces. */
export const SERVED_REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;

/** Per-request `_meta`, no handshake. */
export const MODERN_REVISION = '2026-07-28';
/** With the `initialize` handshake, served without server memory. */
export const LEGACY_REVISIONS: readonly string[] = SERVED_REVISIONS.filter((revision) => revision !== MODERN_REVISION);

export const isServed = (revision: string): boolean => (SERVED_REVISIONS as readonly string[]).includes(revision);

export type Era = 'modern' | 'legacy';

export const unsupportedRevision = (requested: string): { message: string; data: Record<string, unknown> } => ({
  message: `Unsupported protocol version ${JSON.stringify(requested.slice(0, 64))}. Served here: ${SERVED_REVISIONS.join(', ')}.`,
  data: { supported: [...SERVED_REVISIONS], requested: requested.slice(0, 64) },
});
