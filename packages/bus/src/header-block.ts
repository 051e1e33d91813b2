import type { MsgHdrs } from '@nats-io/transport-node';

/**
 * Headers of an outgoing message, encoded once. The client only ever calls `encode()` on what it sends; its own class
 * checks and re-cases every name on every message, which costs more than the rest of publishing does.
 */
export class HeaderBlock {
  private readonly block: Uint8Array;

  /** Names and values must already be free of line breaks. */
  constructor(lines: readonly (readonly [name: string, value: string])[]) {
    let text = 'NATS/1.0\r\n';
    for (const [name, value] of lines) text += `${name}: ${value}\r\n`;
    this.block = Buffer.from(`${text}\r\n`);
  }

  get byteLength(): number {
    return this.block.length;
  }

  encode(): Uint8Array {
    return this.block;
  }

  asHeaders(): MsgHdrs {
    return this as unknown as MsgHdrs;
  }
}
