import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@portico/contracts';
import type { Connection, SessionParts } from './connection.js';
import { isObject } from './json-rpc.js';
import type { JsonObject } from './json-rpc.js';
import { takeAnnouncement } from './notices.js';

/** Waits between attempts to listen again, in milliseconds: doubled from the first to the last. */
const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 30_000;
/** A stream that stayed open this long was a good one: the next wait is short again. */
const GOOD_STREAM_MS = 10_000;

/** The lists a server tells changes of, as `subscriptions/listen` names them; undefined when there is none. */
export function listensFor(capabilities: JsonObject): JsonObject | undefined {
  const filter: JsonObject = {};
  for (const kind of ['tools', 'resources', 'prompts']) {
    const capability = capabilities[kind];
    if (isObject(capability) && capability.listChanged === true) filter[`${kind}ListChanged`] = true;
  }
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** Keeps one `subscriptions/listen` open for as long as its connection lives, opening it again when it ends. */
export class Listening {
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(connection: Connection, filter: JsonObject, parts: SessionParts) {
    this.#running = keepOpen(
      async (signal, onOpen) => {
        await connection.ask({
          method: 'subscriptions/listen',
          params: { notifications: filter },
          signal,
          onMessage: (message) => {
            if (message.method === 'notifications/subscriptions/acknowledged') onOpen();
            else takeAnnouncement(message, parts);
          },
        });
      },
      this.#abort.signal,
      parts,
    );
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }
}

/**
 * Opens a stream again and again, waiting longer each time it does not last, until the signal aborts or the server
 * refuses it for good. After a gap, in which something may have been missed, the lists count as changed.
 */
export async function keepOpen(
  open: (signal: AbortSignal, onOpen: () => void) => Promise<void>,
  signal: AbortSignal,
  parts: SessionParts,
): Promise<void> {
  let wait = FIRST_WAIT_MS;
  let gap = false;
  while (!signal.aborted) {
    let openedAt = Infinity;
    try {
      await open(signal, () => {
        openedAt = performance.now();
        if (gap) parts.changed();
        gap = false;
      });
    } catch (error) {
      const { code, cause } = Fault.from(error);
      if (code === 'UNSUPPORTED' || code === 'INVALID_ARGUMENTS') {
        parts.log.info('session.listening-refused', { server: parts.name });
        return;
      }
      parts.log.debug('session.listening-ended', { server: parts.name, code, cause });
    }
    gap = true;
    if (performance.now() - openedAt > GOOD_STREAM_MS) wait = FIRST_WAIT_MS;
    await delay(wait, undefined, { signal }).catch(() => undefined);
    wait = Math.min(wait * 2, LAST_WAIT_MS);
  }
}
