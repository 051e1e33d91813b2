import { z } from 'zod';
import type { Announcement } from './call.js';
import { SourceAddress } from './source.js';

/** The version of this package's shapes; they only grow within a major version. */
export const CONTRACTS_VERSION = '1.0';

/** A source is there to be asked: told at start, and again at every roll call. */
export const sourceHello = {
  subject: 'source.hello',
  payload: z.object({
    source: SourceAddress,
    /** The process that speaks; several may serve one source. */
    instance: z.string(),
    version: z.string(),
    contracts: z.string(),
    /** Changes when the source's configuration does: what was known of it counts no more. */
    configuration: z.string(),
    /** How long its first answer may take (a server may have to be downloaded and started). */
    connectTimeoutMs: z.int().positive(),
  }),
} satisfies Announcement;

export const sourceBye = {
  subject: 'source.bye',
  payload: z.object({ source: SourceAddress, instance: z.string() }),
} satisfies Announcement;

/** Who is there? Every service that serves a source answers with its hello. */
export const rollCall = { subject: 'source.roll-call', payload: z.object({}) } satisfies Announcement;

/** A process that serves sources is alive: told every second. One that is silent for 3 s is taken for dead. */
export const sourceHeartbeat = {
  subject: 'source.heartbeat',
  payload: z.object({ service: z.string(), instance: z.string(), sources: z.array(SourceAddress) }),
} satisfies Announcement;

/** A source's own word that its lists have changed. */
export const sourceChanged = {
  subject: 'source.changed',
  payload: z.object({ source: SourceAddress }),
} satisfies Announcement;

/** A source's own word that one resource has changed. */
export const resourceUpdated = {
  subject: 'source.resource-updated',
  payload: z.object({ source: SourceAddress, uri: z.string() }),
} satisfies Announcement;

/**
 * The published whole has changed; `sources` are those that differ. An identical re-probe tells nothing. With an equal
 * `revision` no content differs, but whether something of a source is known, awaited or not to be had.
 */
export const catalogueChanged = {
  subject: 'catalogue.changed',
  payload: z.object({ revision: z.string(), sources: z.array(SourceAddress) }),
} satisfies Announcement;

/** A 2025 client cancelled its request; whichever front door runs it ends it. */
export const callCancelled = {
  subject: 'front-door.call-cancelled',
  payload: z.object({ session: z.string(), requestId: z.union([z.string(), z.number()]) }),
} satisfies Announcement;
