import type { Msg } from '@nats-io/transport-node';
import { Fault } from '@portico/contracts';
import type { FaultRecord } from '@portico/contracts';
import type { BusLog } from './bus-log.js';
import { readContext } from './context-headers.js';
import { HeaderBlock } from './header-block.js';
import type { Accept, Answers, LinkRequest, LinkSubscription, Running } from './link.js';
import type { NatsConnection } from './nats-connection.js';
import { HEADERS, cancelSubject, decodePacket, encodePacket } from './nats-packets.js';
import { TooLarge } from './too-large.js';

/** Milliseconds that a request without a deadline of its own may take: stock Nest clients send none. */
const STRANGERS_DEADLINE_MS = 120_000;
const LONGEST_DEADLINE_MS = 2 ** 31 - 1;
const NOTICE = new HeaderBlock([[HEADERS.notice, '1']]);
/** Of a fault too large to send, this many characters of its message go. */
const SHORT_MESSAGE = 200;

/** Takes the requests of one subject off NATS, shared with every other instance that does, and sends their answers. */
export const acceptRequests = async (
  connection: NatsConnection,
  subject: string,
  accept: Accept,
  log: BusLog,
): Promise<LinkSubscription> => {
  const running = new Map<string, Running>();
  let closing = false;
  /** What drains can still be cancelled: the way to cancel goes last. */
  const forget = (id: string): void => {
    running.delete(id);
    if (closing && running.size === 0) void cancels.close();
  };

  const receive = (message: Msg): void => {
    const packet = decodePacket(message);
    const { reply } = message;
    const id = packet?.['id'];
    if (!reply) return log.warn('bus.request-without-inbox', { subject });
    const send = answering(connection, reply, id, log);
    if (!packet || typeof id !== 'string') {
      log.warn('bus.malformed-request', { subject });
      return send.fault(new Fault('INVALID_ARGUMENTS', 'The request is not a packet of this bus.').toRecord());
    }
    const ended = <T>(answer: (value: T) => void) => {
      return (value: T): void => {
        forget(id);
        answer(value);
      };
    };
    const answers: Answers = { notice: send.notice, reply: ended(send.reply), fault: ended(send.fault) };
    running.set(id, accept(requestIn(message, subject, packet['data']), answers));
  };

  const cancel = (message: Msg): void => {
    const data = decodePacket(message)?.['data'];
    const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
    if (typeof id !== 'string') return;
    running.get(id)?.stop('cancelled');
    if (running.has(id)) forget(id);
  };

  const cancels = await connection.subscribe({ subject: cancelSubject(subject), receive: cancel });
  const requests = await connection.subscribe({ subject, queue: subject, receive });
  return {
    close: async () => {
      await requests.close();
      closing = true;
      if (running.size === 0) await cancels.close();
    },
  };
};

const requestIn = ({ headers }: Msg, subject: string, data: unknown): LinkRequest => {
  // Looking a header up in the client's own class walks all of them.
  const lines = new Map<string, string | undefined>();
  for (const [name, values] of headers ?? []) lines.set(name, values[0]);
  const header = (name: string): string | undefined => lines.get(name);
  const given = header(HEADERS.deadline) ?? '';
  return {
    subject,
    data,
    deadlineMs: /^\d{1,10}$/.test(given) ? Math.min(Number(given), LONGEST_DEADLINE_MS) : STRANGERS_DEADLINE_MS,
    wantsNotices: header(HEADERS.wantsNotices) === '1',
    context: readContext(header),
    checked: undefined,
    timed: false,
  };
};

/** Sends the answers to one request; what cannot be sent becomes the fault that says so. Never throws. */
const answering = (connection: NatsConnection, reply: string, id: unknown, log: BusLog): Answers => {
  const send = (packet: object, headers?: HeaderBlock): void =>
    connection.publish(reply, encodePacket({ ...packet, id }), headers ? { headers } : {});
  const lost = (error: unknown): void => log.warn('bus.answer-not-sent', { error });
  const fault = (record: unknown): void => {
    const { code, message, executed } = record as FaultRecord;
    try {
      send({ err: record, isDisposed: true });
    } catch (error) {
      if (error instanceof Fault && !(error instanceof TooLarge)) return lost(error);
      try {
        send({ err: { code, message: message.slice(0, SHORT_MESSAGE), executed }, isDisposed: true });
      } catch (again) {
        lost(again);
      }
    }
  };
  return {
    fault,
    reply: (response) => {
      try {
        send({ response, isDisposed: true });
      } catch (error) {
        if (error instanceof TooLarge)
          return fault(new Fault('PAYLOAD_TOO_LARGE', error.message, { executed: 'yes' }).toRecord());
        if (error instanceof Fault) return lost(error);
        log.error('bus.reply-not-json', { error });
        fault(new Fault('UNKNOWN_ERROR', 'The service answered outside its contract.').toRecord());
      }
    },
    notice: (response) => {
      try {
        send({ response }, NOTICE);
      } catch (error) {
        lost(error);
      }
    },
  };
};
