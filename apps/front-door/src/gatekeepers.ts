import { randomBytes } from 'node:crypto';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Bus, Subscription } from '@portico/bus';
import { SourceAddress, sourceHealth, sourceHeartbeat } from '@portico/contracts';
import type { Log } from '@portico/observe';
import { type RedisScripts, openRedis } from '@portico/storage';
import type { Authenticator } from './auth/authenticator.js';
import { openAuthenticator } from './auth/open-authenticator.js';
import { StandingCallers } from './auth/standing-callers.js';
import type { FrontDoorConfig } from './config.js';
import type { Admission } from './limits/admission.js';
import { Bulkhead } from './limits/bulkhead.js';
import { DomainBreakers } from './limits/domain-breakers.js';
import { openAdmission } from './limits/open-admission.js';
import { openPolicy } from './policy/open-policy.js';
import { MemoryReceipts } from './receipts/memory-receipts.js';
import { Receipts } from './receipts/receipts.js';
import { RedisReceipts } from './receipts/redis-receipts.js';

interface Parts {
  readonly authenticator: Authenticator;
  readonly standing: StandingCallers;
  readonly admission: Admission;
  readonly policy: ReturnType<typeof openPolicy>;
  readonly bulkhead: Bulkhead;
  readonly breakers: DomainBreakers;
  readonly heartbeats: Subscription;
  readonly receipts: Receipts;
  readonly redis: RedisScripts | undefined;
}

/** Who comes in, what they may do, how much of it at once, and what is noted of it. */
export class Gatekeepers implements OnApplicationShutdown {
  private constructor(readonly parts: Parts) {}

  /** Waits for no store and no issuer. Rejects with one sentence for a file of keys or of rules that can not be used. */
  static async open(bus: Bus, config: FrontDoorConfig, log: Log): Promise<Gatekeepers> {
    const { auth, limits, policyFile, redisUrl } = config;
    const breakers = new DomainBreakers(limits.breaker, async (address) => {
      const { state } = await bus.ask(sourceHealth(SourceAddress.parse(address)), {});
      // Looking starts no MCP server and connects to none: what is said of one is how its last call found it.
      return state !== 'down' || address.startsWith('upstream.');
    });
    const heartbeats = await bus.listen(sourceHeartbeat, ({ sources }) =>
      sources.forEach((source) => breakers.heard(source)),
    );
    const policy = openPolicy({ file: policyFile.path, explicit: policyFile.explicit, authMode: auth.mode, log });
    const authenticator = await openAuthenticator(auth, { log });
    const redis = redisUrl === 'memory:' ? undefined : await openRedis(redisUrl, { log, waitMs: 0 });
    const frontDoor = `front-door-${randomBytes(4).toString('hex')}`;
    const kept = redis === undefined ? await MemoryReceipts.open(bus, frontDoor) : new RedisReceipts(redis, log);
    return new Gatekeepers({
      authenticator,
      standing: new StandingCallers(authenticator),
      admission: openAdmission({ limits, redis, log }),
      policy,
      bulkhead: new Bulkhead(limits.domain),
      breakers,
      heartbeats,
      receipts: new Receipts(bus, log, kept, frontDoor),
      redis,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const { policy, authenticator, standing, admission, breakers, heartbeats, receipts, redis } = this.parts;
    policy.close();
    standing.close();
    authenticator.close();
    breakers.close();
    await Promise.allSettled([heartbeats.close(), admission.close(), receipts.close()]);
    await redis?.close();
  }
}
