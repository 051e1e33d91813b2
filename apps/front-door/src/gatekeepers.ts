import { randomBytes } from 'node:crypto';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { Authenticator } from './auth/authenticator.js';
import { openAuthenticator } from './auth/open-authenticator.js';
import type { FrontDoorConfig } from './config.js';
import { openPolicy } from './policy/open-policy.js';
import { MemoryReceipts } from './receipts/memory-receipts.js';
import { Receipts } from './receipts/receipts.js';

/** Who comes in, what they may do, how much of it at once, and what is noted of it. */
export class Gatekeepers implements OnApplicationShutdown {
  private constructor(
    readonly authenticator: Authenticator,
    readonly policy: ReturnType<typeof openPolicy>,
    readonly receipts: Receipts,
  ) {}

  /** Rejects with one sentence when a file of keys or of rules can not be used. */
  static async open(bus: Bus, config: FrontDoorConfig, log: Log): Promise<Gatekeepers> {
    const { path: file, explicit } = config.policyFile;
    const policy = openPolicy({ file, explicit, authMode: config.auth.mode, log });
    const authenticator = await openAuthenticator(config.auth, { log });
    const frontDoor = `front-door-${randomBytes(4).toString('hex')}`;
    const receipts = new Receipts(bus, log, await MemoryReceipts.open(bus, frontDoor), frontDoor);
    return new Gatekeepers(authenticator, policy, receipts);
  }

  async onApplicationShutdown(): Promise<void> {
    this.policy.close();
    this.authenticator.close();
    await this.receipts.close();
  }
}
