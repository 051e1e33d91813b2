import type { Documents } from './documents.js';
export class DocumentTable {
  constructor(_database: never) {}
}
export interface DocumentTable extends Documents {}
