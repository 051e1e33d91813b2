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
