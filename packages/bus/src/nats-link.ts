import { nuid } from '@nats-io/transport-node';
import type { Msg } from '@nats-io/transport-node';
import { Fault } from '@portico/contracts';
import type { BusLog } from './bus-log.js';
import { contextHeaders } from './context-headers.js';
import { HeaderBlock } from './header-block.js';
import type { Accept, Answers, Link, LinkRequest, LinkSubscription, Running } from './link.js';
import type { NatsAddress } from './nats-address.js';
import { acceptRequests } from './nats-accept.js';
import { NatsConnection } from './nats-connection.js';
import { HEADERS, cancelSubject, decodePacket, encodePacket, isFinal } from './nats-packets.js';
import type { AnswerPacket } from './nats-packets.js';
import { Slots } from './slots.js';

interface Pending {
  /** Where its answers go. Who answers another subject may not write there, and late answers in its slot go elsewhere. */
  readonly reply: string;
  readonly answers: Answers;
  /** The last value of a stock Nest stream, which its end makes the reply. */
  held?: unknown;
}

export interface NatsLinkOptions {
  readonly address: () => NatsAddress;
  /** Whether the address may become another. */
  readonly changes: boolean;
  readonly name: string;
  readonly log: BusLog;
  readonly connectTimeoutMs: number;
}

/**
 * Buses on one NATS server. All answers come to one inbox of this connection, each under the subject that was asked, so that a
 * server can let those answer who are asked; the last token is a slot and a number.
 */
export class NatsLink implements Link {
  private pending = new Slots<Pending>();
  private readonly inbox: string;
  private readonly idPrefix = nuid.next();
  private requests = 0;
  private connection!: NatsConnection;

  private constructor(
    private readonly log: BusLog,
    name: string,
  ) {
    this.inbox = `_INBOX_${name.replace(/[^A-Za-z0-9_-]/g, '-')}.${this.idPrefix}.`;
  }

  static async open({ log, name, ...options }: NatsLinkOptions): Promise<NatsLink> {
    const link = new NatsLink(log, name);
    const onLost = (): void => link.failPending();
    link.connection = await NatsConnection.open({ ...options, name, log, onLost });
    await link.connection.subscribe({ subject: `${link.inbox}>`, receive: (message) => link.receive(message) });
    return link;
  }

  get maxPayload(): number {
    return this.connection.maxPayload;
  }

  request(request: LinkRequest, answers: Answers): Running {
    const { subject, data, deadlineMs, wantsNotices, context } = request;
    const number = (this.requests++).toString(36);
    const id = `${this.idPrefix}-${number}`;
    const headers: [string, string][] = [[HEADERS.deadline, String(Math.ceil(deadlineMs))]];
    if (wantsNotices) headers.push([HEADERS.wantsNotices, '1']);
    if (context) headers.push(...contextHeaders(context));
    const pending = { reply: '', answers };
    const slot = this.pending.add(pending);
    const reply = `${this.inbox}${subject}.${slot.toString(36)}-${number}`;
    pending.reply = reply;
    try {
      this.connection.publish(subject, encode({ pattern: subject, data, id }), {
        reply,
        headers: new HeaderBlock(headers),
      });
    } catch (error) {
      this.pending.remove(slot);
      throw error;
    }
    return {
      stop: (reason) => {
        if (this.pending.at(slot) !== pending) return;
        this.pending.remove(slot);
        if (reason === 'cancelled') this.cancel(subject, id);
      },
    };
  }

  async accept(subject: string, accept: Accept): Promise<LinkSubscription> {
    return acceptRequests(this.connection, subject, accept, this.log);
  }

  publish(subject: string, data: unknown): void {
    this.connection.publish(subject, encode({ pattern: subject, data }));
  }

  hear(subject: string, hear: (data: unknown) => void): Promise<LinkSubscription> {
    return this.connection.subscribe({
      subject,
      receive: (message) => {
        const packet = decodePacket(message);
        if (packet) hear(packet['data']);
        else this.log.warn('bus.malformed-announcement', { subject });
      },
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private receive(message: Msg): void {
    const { subject } = message;
    // Ends at the "-" before the number.
    const slot = parseInt(subject.slice(subject.lastIndexOf('.') + 1), 36);
    const pending = this.pending.at(slot);
    if (!pending || pending.reply !== subject) return;
    const { answers } = pending;
    const finish = (): Answers => {
      this.pending.remove(slot);
      return answers;
    };
    if (message.data.length === 0 && message.headers?.code === 503) {
      return finish().fault(unavailable('The service that answers this is not running.', 'no'));
    }
    const packet: AnswerPacket | undefined = decodePacket(message);
    if (!packet) return finish().fault(undefined);
    if (isFinal(packet)) {
      if (packet.err !== undefined && packet.err !== null) return finish().fault(packet.err);
      return finish().reply('response' in packet ? packet.response : pending.held);
    }
    if (message.headers?.get(HEADERS.notice)) answers.notice(packet.response);
    else pending.held = packet.response;
  }

  private cancel(subject: string, id: string): void {
    try {
      const cancelled = cancelSubject(subject);
      this.connection.publish(cancelled, encode({ pattern: cancelled, data: { id } }));
    } catch (error) {
      this.log.warn('bus.cancel-not-sent', { subject, error });
    }
  }

  private failPending(): void {
    const lost = this.pending;
    this.pending = new Slots();
    for (const { answers } of lost)
      answers.fault(unavailable('The connection was lost before the answer came.', 'unknown'));
  }
}

const unavailable = (message: string, executed: 'no' | 'unknown'): unknown =>
  new Fault('BACKEND_UNAVAILABLE', message, { executed, unserved: true }).toRecord();

const encode = (packet: object): Uint8Array => {
  try {
    return encodePacket(packet);
  } catch (cause) {
    throw new Fault('INVALID_ARGUMENTS', 'The request cannot be written as JSON.', { cause });
  }
};
