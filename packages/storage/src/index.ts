export type {
  Database,
  DatabaseOptions,
  Queries,
  QueryOptions,
  QueryResult,
  Row,
  TransactionOptions,
} from './database.js';
export type { Documents, DocumentsOptions, Json } from './documents.js';
export { migrate } from './migrate.js';
export type { Migrations } from './migrate.js';
export { openDatabase } from './open-database.js';
export { openDocuments } from './open-documents.js';
export { openSharedState } from './open-shared-state.js';
export { openRedis } from './open-redis.js';
export type { RedisOptions, RedisScript, RedisScripts } from './redis-scripts.js';
export type { SharedState, SharedStateOptions } from './shared-state.js';
export { StorageError } from './storage-error.js';
export type { StorageErrorCode, StorageErrorOptions } from './storage-error.js';
export type { StorageLog } from './storage-log.js';
