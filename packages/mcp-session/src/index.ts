export { HeldSession } from './held-session.js';
export type {
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  HeldSessionOptions,
  ReadResourceRequest,
  ReadResourceResult,
  UseOptions,
} from './held-session.js';
export type { SessionState } from './held-connection.js';
export type { ServerFacts } from './connection.js';
export type { ServerCatalogue } from './catalogue.js';
export { mirroredParams } from './header-values.js';
export type { MirroredParam } from './header-values.js';
export type { HttpTarget, ServerTarget, SessionLog, StdioTarget, TargetSource } from './target.js';
