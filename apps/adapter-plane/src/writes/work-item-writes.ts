import type { CallScope, JsonValue } from '@portico/domain-kit';
import type { DeclaredFields } from '../declared/edit-document.js';
import type { Project, WorkItem } from '../replies.js';

/** What is to be of a work item, in the words of callers: names, and text. */
export type WorkItemFields = DeclaredFields;

/** A work item that a write is about: Plane has it, or it is declared alone. */
export interface Target {
  /** The project's identifier. */
  readonly project: string;
  /** As the caller named it. */
  readonly name: string;
  readonly item: WorkItem | undefined;
}

/** Where a write was made, for the caller to read. */
export type Written = Readonly<Record<string, JsonValue | undefined>>;

/** The writes of plane.*, wherever they are made. A Fault tells whether something was executed. */
export interface WorkItemWrites {
  create(project: Project, fields: WorkItemFields & { name: string }, scope: CallScope): Promise<Written>;
  update(target: Target, fields: WorkItemFields, scope: CallScope): Promise<Written>;
  comment(target: () => Promise<Target>, text: string, scope: CallScope): Promise<Written>;
  /** Throws unless there is what is written to, besides Plane. */
  check(scope: CallScope): Promise<void>;
  close(): Promise<void>;
}
