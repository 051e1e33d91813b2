export type { Announcement, Call, PayloadOf, ReplyOf, RequestOf } from './call.js';
export { FIXED_DOMAINS, SourceAddress, SourceName, sourceName } from './source.js';
export { Executed, FAULT_CODES, Fault, FaultCode, FaultRecord, RpcError } from './fault.js';
export type { FaultOptions } from './fault.js';
export { CachePolicy, Effect, ToolPolicy } from './policy.js';
export {
  CataloguePage,
  CatalogueTool,
  DiscoveryError,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  SourceCatalogue,
  SourceIdentity,
  SourceState,
  SourceSummary,
  ToolDefinition,
} from './catalogue.js';
export {
  SourceHealth,
  callTool,
  complete,
  describeSource,
  getPrompt,
  readResource,
  sourceHealth,
} from './source-calls.js';
export { CUT_META_KEY, ClientHints, ToolCallRequest, ToolResult } from './tool-call.js';
export { discoverCatalogue, discoverSource, discoveryHealth } from './discovery-calls.js';
export {
  CONTRACTS_VERSION,
  callCancelled,
  catalogueChanged,
  resourceUpdated,
  rollCall,
  sourceBye,
  sourceChanged,
  sourceHeartbeat,
  sourceHello,
} from './announcements.js';
export {
  ENTRY_ERRORS,
  EntryError,
  EntryErrorCode,
  EntrySource,
  KnownServer,
  ServerState,
  ServerStatus,
  deleteServer,
  hideTool,
  listKnownServers,
  listServers,
  prewarmServers,
  saveServer,
  serverCalls,
  serverStatus,
  serversChanged,
  testServer,
  toggleServer,
} from './upstreams-calls.js';
export type { ServerChange } from './upstreams-calls.js';
export { atInstance, upstreamsAlive } from './upstreams-peers.js';
export { CONTEXT_HEADERS, CallContext, ContextId, Principal, leaseRef } from './context.js';
export { ENVELOPE_META_KEY, ENVELOPE_VERSION, Envelope, MESSAGE_LIMIT, ServedFrom } from './envelope.js';
export { LEASE_REF_META_KEY, LeaseVerdict, guardLease } from './lease-calls.js';
export { Receipt, receiptsWritten } from './receipt.js';
export {
  CacheAnswer,
  CacheQuestion,
  CacheRefusal,
  ToolPattern,
  cacheHoldings,
  eraseAnswers,
  invalidateAnswers,
  invalidationConfirmed,
  invalidationPending,
  lookUpAnswer,
  reportShadowCheck,
  restoreTool,
  storeAnswer,
  wentStale,
} from './cache-calls.js';
export {
  SlackChannel,
  SlackChannelId,
  SlackCursor,
  SlackEmoji,
  SlackText,
  SlackMessage,
  SlackMessageTs,
  SlackUser,
  SlackUserId,
  addSlackReaction,
  checkSlack,
  listSlackChannels,
  listSlackUsers,
  postSlackMessage,
  readSlackChannel,
  readSlackThread,
  replyInSlackThread,
} from './slack-calls.js';
export { DotGlob, PATTERN_LIMIT, StarGlob, isDotGlob } from './dot-glob.js';
export type { Conversations } from './conversations.js';
export { Notice } from './notice.js';
export { Stop, abortSignalOf } from './stop-signal.js';
export type { StopListener, StopSignal } from './stop-signal.js';
