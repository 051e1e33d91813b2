export { callTimeoutSettings, domainCallTimeoutMs } from './call-timeout.js';
export { serveSource } from './serve-source.js';
export type {
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  ReadResourceRequest,
  ReadResourceResult,
  ServeSourceOptions,
  ServedSource,
  SourceHealthReport,
  SourceService,
} from './serve-source.js';
export type { SourceLog } from './source-log.js';
export { canonicalJson, revisionOf } from './revision.js';
export { scopeOf } from './call-scope.js';
export type { CallScope } from './call-scope.js';
export type { Completer, Completers } from './completion.js';
export { path, pathSegment } from './path-segment.js';
export { defineTool, toolResult } from './tool.js';
export type { DomainTool, FullResult, JsonValue, ToolAnnotations, ToolSpec } from './tool.js';
export { defineResource } from './resource.js';
export type { DomainResource, ResourceContent, ResourceSpec } from './resource.js';
export { definePrompt } from './prompt.js';
export type { DomainPrompt, PromptAnswer, PromptMessage, PromptSpec } from './prompt.js';
export type { Domain } from './domain.js';
export { serveDomain } from './serve-domain.js';
export { sourceConversations } from './source-conversations.js';
export { addressProblem } from './backend-address.js';
export { BackendClient, BackendReader } from './backend-client.js';
export type { BackendWrite } from './backend-client.js';
export type { BackendRequest, BackendSettings } from './backend-link.js';
export type { BackendAnswer } from './backend-answer.js';
export { cutPoint, cutText } from './cut-text.js';
export { given } from './given.js';
export { credentialFrom } from './credential.js';
export type { Credential } from './credential.js';
export { pageAt, pageLimit, parseCursor, snapshotOf } from './catalogue-pages.js';
export type { Snapshot } from './catalogue-pages.js';
