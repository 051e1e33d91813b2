export { HeldSession } from './held-session.js';
export type {
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  HeldSessionOptions,
  ReadResourceRequest,
  ReadResourceResult,
  SessionState,
  UseOptions,
} from './held-session.js';
export type { ServerCatalogue } from './catalogue.js';
export { mirroredParams } from './header-values.js';
export type { MirroredParam } from './header-values.js';
export type { HttpTarget, ServerTarget, SessionLog, StdioTarget } from './target.js';
