import { Fault } from '@portico/contracts';
import type { CataloguePage, SourceCatalogue, SourceIdentity } from '@portico/contracts';
import type { SourceLog } from './source-log.js';
import { revisionOf } from './revision.js';

const KINDS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;
type Kind = (typeof KINDS)[number];
interface Item {
  readonly kind: Kind;
  readonly value: SourceCatalogue[Kind][number];
  readonly bytes: number;
}

/** A catalogue made ready for paging: its revision, and its items in the one order every instance agrees on. */
export interface Snapshot {
  readonly revision: string;
  readonly identity: SourceIdentity;
  readonly items: readonly Item[];
  /** Most bytes of JSON that the items of one page may take. */
  readonly room: number;
}

const PAGE_LIMIT_BYTES = 512 * 1024;
/** Room on a page for what is neither identity nor item: revision, cursor, braces, and the bus's own framing. */
const FRAME_BYTES = 512;

/** Most bytes of a page on a bus with this `maxPayload`: half of it, so that framing and headers always fit. */
export const pageLimit = (maxPayload: number): number => Math.min(Math.floor(maxPayload / 2), PAGE_LIMIT_BYTES);

/**
 * Sorts, measures and hashes a catalogue. An item that fits no page is left out and logged; so are an identity's
 * instructions and server facts when they would leave no room. Throws PAYLOAD_TOO_LARGE when even that is not enough.
 */
export function snapshotOf(catalogue: Omit<SourceCatalogue, 'revision'>, limit: number, log?: SourceLog): Snapshot {
  const identity = fittingIdentity(catalogue.identity, limit / 2 - FRAME_BYTES, log);
  const room = limit - FRAME_BYTES - bytesOf(identity);
  const items = KINDS.flatMap((kind) =>
    [...catalogue[kind]].sort(byKey).map((value): Item => ({ kind, value, bytes: bytesOf(value) + 1 })),
  );
  const fitting = items.filter((item) => {
    if (item.bytes <= room) return true;
    log?.warn('source.item-left-out', { kind: item.kind, item: keyOf(item.value), bytes: item.bytes, limit: room });
    return false;
  });
  const revision = revisionOf({ identity, items: fitting.map(({ kind, value }) => [kind, value]) });
  return { revision, identity, items: fitting, room };
}

/** The page that begins at item `start`; at least one item on it, unless there is none left. */
export function pageAt({ revision, identity, items, room }: Snapshot, start: number): CataloguePage {
  const page: CataloguePage = { revision, identity, tools: [], resources: [], resourceTemplates: [], prompts: [] };
  let end = start;
  for (let used = 0; end < items.length; end++) {
    const item = items[end]!;
    used += item.bytes;
    if (used > room) break;
    (page[item.kind] as unknown[]).push(item.value);
  }
  return end < items.length ? { ...page, nextCursor: `${revision}.${end}` } : page;
}

/** Takes a cursor apart. Throws INVALID_ARGUMENTS for one that `pageAt` never made. */
export function parseCursor(cursor: string): { revision: string; start: number } {
  const match = /^([0-9a-f]{64})\.([0-9]{1,9})$/.exec(cursor);
  if (!match) throw new Fault('INVALID_ARGUMENTS', 'The cursor is not one that this source gave.');
  return { revision: match[1]!, start: Number(match[2]) };
}

function fittingIdentity(identity: SourceIdentity, limit: number, log?: SourceLog): SourceIdentity {
  let fitting = identity;
  for (const key of ['instructions', 'serverInfo'] as const) {
    if (bytesOf(fitting) <= limit) return fitting;
    log?.warn('source.identity-shortened', { leftOut: key, bytes: bytesOf(fitting), limit });
    const { [key]: _leftOut, ...rest } = fitting;
    fitting = rest as SourceIdentity;
  }
  if (bytesOf(fitting) <= limit) return fitting;
  throw new Fault('PAYLOAD_TOO_LARGE', 'What this source says of itself does not fit a message.');
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function keyOf(value: Item['value']): string {
  if ('definition' in value) return (value as SourceCatalogue['tools'][number]).definition.name;
  const { uriTemplate, uri, name } = value as Record<string, unknown>;
  return String(uriTemplate ?? uri ?? name);
}

function byKey(a: Item['value'], b: Item['value']): number {
  const [left, right] = [keyOf(a), keyOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
