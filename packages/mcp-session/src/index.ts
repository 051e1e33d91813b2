export { HeldSession } from './held-session.js';
export type {
  CompleteRequest,
  CompleteResult,
  EraMemory,
  GetPromptRequest,
  GetPromptResult,
  HeldSessionOptions,
  ReadResourceRequest,
  ReadResourceResult,
  UseOptions,
} from './session-use.js';
export { Reason } from './faults.js';
export type { Failure } from './failure.js';
export type { SessionState } from './held-connection.js';
export type { ServerFacts } from './connection.js';
export type { ServerCatalogue } from './catalogue.js';
export { mirroredParams } from './header-values.js';
export type { MirroredParam } from './header-values.js';
export type { Authorization, HttpTarget, ServerTarget, SessionLog, StdioTarget, TargetSource } from './target.js';
export { SharedAttempt } from './shared-attempt.js';
export { watchdog } from './watchdog.js';
export type { Watchdog } from './watchdog.js';
