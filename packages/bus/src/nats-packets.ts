/**
 * Nest's own NATS packets, so that a stock Nest service answers our asks and a stock Nest client asks our services:
 * `{ pattern, data, id }` asks, `{ response | err, isDisposed: true, id }` answers, `{ pattern, data }` tells.
 */
export interface AnswerPacket {
  readonly response?: unknown;
  readonly err?: unknown;
  /** Absent on a notice, and on all but the last value of a Nest stream. */
  readonly isDisposed?: boolean;
}

export const HEADERS = {
  /** On a request: milliseconds left when it was sent (clocks differ, durations do not). */
  deadline: 'Portico-Deadline-Ms',
  /** On a request: the asker listens for notices. */
  wantsNotices: 'Portico-Notices',
  /** On a message to the asker: its `response` is a notice. */
  notice: 'Portico-Notice',
} as const;

/** On `cancel.<subject>`: the request of this id is not waited for any more. */
export const cancelSubject = (subject: string): string => `cancel.${subject}`;

/** Throws when the packet cannot be written as JSON. */
export const encodePacket = (packet: object): Uint8Array => Buffer.from(JSON.stringify(packet));

/** A packet that arrived, or `undefined` for anything that is not a JSON object. */
export const decodePacket = (message: { json(): unknown }): Record<string, unknown> | undefined => {
  try {
    const packet = message.json();
    return typeof packet === 'object' && packet !== null && !Array.isArray(packet)
      ? (packet as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

export const isFinal = ({ isDisposed, err }: AnswerPacket): boolean =>
  isDisposed === true || (err !== undefined && err !== null);
