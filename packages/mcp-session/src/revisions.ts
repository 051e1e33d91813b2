/** The revision whose requests carry everything themselves: no session, `server/discover` instead of `initialize`. */
export const MODERN = '2026-07-28';
/** What `initialize` offers, and what we accept in return. */
export const LEGACY_OFFER = '2025-11-25';
export const LEGACY_ACCEPTED: ReadonlySet<string> = new Set([LEGACY_OFFER, '2025-06-18', '2025-03-26', '2024-11-05']);
