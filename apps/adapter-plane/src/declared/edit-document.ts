import { declaredDocument, declaredItem, unfit, valueOf } from './declared-document.js';
import type { DeclaredDocument, DeclaredName } from './declared-document.js';
import type { JsonMember, JsonObject } from './json-spans.js';

/** What a file declares of a work item, in the order of its lines. */
export const DECLARED_FIELDS = ['name', 'state', 'priority', 'labels', 'description'] as const;
export interface DeclaredFields {
  readonly name?: string | undefined;
  readonly state?: string | undefined;
  readonly priority?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

/** Puts `text` in the place from `start` to `end`. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The text with these fields of a declared work item: one line differs per field that does, and no other byte. Undefined
 * when no such item is declared. Throws CONFLICT when a field does not stand on a line of its own.
 */
export function withFields(
  text: string,
  project: string,
  name: DeclaredName,
  fields: DeclaredFields,
): string | undefined {
  const document = declaredDocument(text, project);
  const item = declaredItem(document, name);
  return item && applied(text, changesOf(text, item, fields));
}

/** The text with one more work item, before those that are there, whose lines stay what they are. */
export function withItem(
  text: string,
  project: string,
  { key, externalId }: DeclaredName,
  fields: DeclaredFields,
): string {
  const document = declaredDocument(text, project);
  const lines = [
    ...(key === undefined ? [] : [line('key', key)]),
    ...(externalId === undefined ? [] : [line('external_id', externalId)]),
    ...DECLARED_FIELDS.flatMap((field) => (fields[field] === undefined ? [] : [line(field, fields[field])])),
  ];
  const [first] = document.items;
  return applied(text, [first ? beforeFirst(text, first, lines) : intoEmpty(document, lines)]);
}

function changesOf(text: string, item: JsonObject, fields: DeclaredFields): Change[] {
  const changes: Change[] = [];
  for (const field of DECLARED_FIELDS) {
    const value = fields[field];
    if (value === undefined) continue;
    const [member, another] = item.members.filter(({ name }) => name === field);
    if (another) throw unfit(`It has "${field}" twice in one place.`);
    if (!member) {
      const anchor = anchorOf(item, field);
      const { start, indent, eol } = lineOf(text, anchor);
      changes.push({ start, end: start, text: `${indent}${line(field, value)},${eol}` });
    } else if (JSON.stringify(valueOf(text, member.value)) !== JSON.stringify(value)) {
      lineOf(text, member);
      changes.push({ start: member.value.start, end: member.value.end, text: written(value) });
    }
  }
  return changes;
}

/** The member before which a new line goes: a line before another has a comma, so that no other line changes. */
function anchorOf({ members }: JsonObject, field: (typeof DECLARED_FIELDS)[number]): JsonMember {
  const later: readonly string[] = DECLARED_FIELDS.slice(DECLARED_FIELDS.indexOf(field) + 1);
  return members.find(({ name }) => later.includes(name)) ?? members.at(-1)!;
}

/** The line that a member has to itself. */
function lineOf(text: string, { name, start, value }: JsonMember) {
  const line = lineAt(text, start);
  const after = /^[ \t]*,?[ \t]*(\r?\n|$)/.exec(text.slice(value.end, value.end + 1_000));
  if (line === undefined || !after || text.slice(start, value.end).includes('\n'))
    throw unfit(`Its field "${name}" does not stand on one line of its own.`);
  return line;
}

/** The line that begins with what is at `at`, after blanks alone. */
function lineAt(text: string, at: number): { start: number; indent: string; eol: string } | undefined {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const indent = text.slice(start, at);
  const eol = text[start - 2] === '\r' ? '\r\n' : '\n';
  return start > 0 && /^[ \t]*$/.test(indent) ? { start, indent, eol } : undefined;
}

function beforeFirst(text: string, first: JsonObject, lines: readonly string[]): Change {
  const place = lineAt(text, first.start);
  if (!place) throw unfit('Its first work item does not begin on a line of its own.');
  const [member] = first.members;
  const inner = member && lineAt(text, member.start)?.indent;
  const { start, indent, eol } = place;
  return { start, end: start, text: `${itemText(lines, indent, inner ?? `${indent}  `, eol)},${eol}` };
}

function intoEmpty({ text, list }: DeclaredDocument, lines: readonly string[]): Change {
  const start = list.start + 1;
  const end = list.end - 1;
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', start) + 1))![0];
  const step = outer === '' ? '  ' : outer;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const item = eol + itemText(lines, outer + step, outer + step + step, eol);
  // A list that is closed on a line of its own keeps that line.
  return text.slice(start, end).includes('\n')
    ? { start, end: start, text: item }
    : { start, end, text: item + eol + outer };
}

const itemText = (lines: readonly string[], indent: string, inner: string, eol: string): string =>
  [`${indent}{`, lines.map((each) => inner + each).join(`,${eol}`), `${indent}}`].join(eol);

const line = (name: string, value: string | readonly string[]): string => `${JSON.stringify(name)}: ${written(value)}`;

const written = (value: string | readonly string[]): string =>
  typeof value === 'string' ? JSON.stringify(value) : `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;

function applied(text: string, changes: readonly Change[]): string {
  let at = 0;
  let result = '';
  for (const { start, end, text: put } of changes.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, start) + put;
    at = end;
  }
  return result + text.slice(at);
}
