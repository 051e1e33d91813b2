export { HeldSession } from './held-session.js';
export type { HeldSessionOptions, SessionState, UseOptions } from './held-session.js';
export type { ServerCatalogue } from './catalogue.js';
export type { HttpTarget, ServerTarget, SessionLog, StdioTarget, TargetSource } from './target.js';
