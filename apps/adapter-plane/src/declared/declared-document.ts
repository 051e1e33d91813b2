import { Fault } from '@portico/contracts';
import { jsonSpans } from './json-spans.js';
import type { JsonNode, JsonObject, Span } from './json-spans.js';

/** A declared file of one project, and where in its text its work items are. */
export interface DeclaredDocument {
  readonly text: string;
  readonly list: Span;
  readonly items: readonly JsonObject[];
}

/** By what a work item may be declared: its key in Plane, or the id that it was first declared with, or both. */
export interface DeclaredName {
  readonly key?: string | undefined;
  readonly externalId?: string | undefined;
}

/** The text as the declared file of a project. Throws CONFLICT, nothing executed, when it is not in that form. */
export function declaredDocument(text: string, project: string): DeclaredDocument {
  const root = rootOf(text);
  const declared = memberOf(root, 'project');
  if (declared && valueOf(text, declared) !== project) throw unfit(`It declares another project than ${project}.`);
  const list = memberOf(root, 'work_items');
  if (list?.kind !== 'array') throw unfit('It has no list "work_items".');
  const items = list.items.filter((item) => item.kind === 'object');
  if (items.length !== list.items.length) throw unfit('Something in "work_items" is no object.');
  return { text, list, items };
}

/** The one work item that is declared by that name, if there is one. */
export function declaredItem({ text, items }: DeclaredDocument, name: DeclaredName): JsonObject | undefined {
  const is = (item: JsonObject, field: string, wanted: string | undefined): boolean => {
    const found = memberOf(item, field);
    return wanted !== undefined && found !== undefined && valueOf(text, found) === wanted;
  };
  const found = items.filter((item) => is(item, 'key', name.key) || is(item, 'external_id', name.externalId));
  if (found.length > 1) throw unfit(`It declares ${name.key ?? name.externalId} more than once.`);
  return found[0];
}

export const valueOf = (text: string, { start, end }: Span): unknown => JSON.parse(text.slice(start, end));

/** The value of a member. A name that stands there twice means one thing to one reader and another to the next. */
export function memberOf(object: JsonObject, name: string): JsonNode | undefined {
  const found = object.members.filter((member) => member.name === name);
  if (found.length > 1) throw unfit(`It has "${name}" twice in one place.`);
  return found[0]?.value;
}

export const unfit = (what: string): Fault =>
  new Fault('CONFLICT', `The declared file can not be edited. ${what} A person has to put it right.`, {
    executed: 'no',
  });

function rootOf(text: string): JsonObject {
  let root: JsonNode;
  try {
    root = jsonSpans(text);
  } catch {
    throw unfit('It is no JSON.');
  }
  if (root.kind !== 'object') throw unfit('It is no object.');
  return root;
}
