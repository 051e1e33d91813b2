import { z } from 'zod';
import type { Announcement } from './call.js';
import type { SourceAddress } from './source.js';

/**
 * An instance of the service that holds MCP servers is alive, told four times a second and at every change of it. What it
 * `holds` runs there, or may: nobody else starts it. One that is `leaving` takes nothing more. `sentAt` is by the sender's
 * own clock: hearing itself tells it that it is heard.
 */
export const upstreamsAlive = {
  subject: 'upstreams.alive',
  payload: z.object({
    instance: z.string(),
    sentAt: z.number(),
    holds: z.array(z.string()),
    leaving: z.boolean(),
  }),
} satisfies Announcement;

/** Where one instance answers the calls of a source itself: how the others pass on what only it holds. */
export const atInstance = (source: SourceAddress, instance: string): SourceAddress => `${source}.${instance}`;
