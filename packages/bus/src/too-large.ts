import { Fault } from '@portico/contracts';

/** Told apart from other faults so that a reply's can say that the work was done. */
export class TooLarge extends Fault {
  constructor(bytes: number, most: number) {
    const message = `The message takes ${String(bytes)} bytes; the bus carries at most ${String(most)}.`;
    super('PAYLOAD_TOO_LARGE', message, { executed: 'no' });
  }
}
