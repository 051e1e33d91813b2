export type { Documents, DocumentsOptions, Json } from './documents.js';
export type { SharedState } from './shared-state.js';
