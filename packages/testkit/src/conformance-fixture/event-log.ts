import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** What was sent on the streams of one session, so that a client that comes back hears what it missed. */
export class EventLog {
  readonly #events: { readonly stream: string; readonly message: JSONRPCMessage }[] = [];

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#events.push({ stream, message });
    return Promise.resolve(String(this.#events.length));
  }

  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.#events[Number(eventId) - 1]?.stream);
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = await this.getStreamIdForEventId(lastEventId);
    if (stream === undefined) throw new Error('Unknown event id');
    for (let index = Number(lastEventId); index < this.#events.length; index += 1) {
      const event = this.#events[index];
      // A priming event carries no message: there is nothing in it to hear again.
      if (event?.stream === stream && 'jsonrpc' in event.message) await send(String(index + 1), event.message);
    }
    return stream;
  }
}
