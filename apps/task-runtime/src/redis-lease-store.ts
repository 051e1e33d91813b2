import { Fault } from '@portico/contracts';
import { StorageError } from '@portico/storage';
import type { RedisScript, RedisScripts } from '@portico/storage';
import { z } from 'zod';
import { ACQUIRE, FIND, RELEASE, RENEW } from './lease-scripts.js';
import type { Lease, LeaseFound, LeaseRequest, LeaseStore } from './lease-store.js';

/** In braces, so that a Redis cluster keeps all of them on one node, where a script may touch two. */
const PREFIX = 'portico:{lease}:';
/** One for all places, since one for each would have to be kept for ever. */
const FENCE = `${PREFIX}fence`;

const Answer = z.union([
  z.tuple([z.literal('free')]),
  z.tuple([
    z.enum(['live', 'held']),
    z.string(),
    z.coerce.number().pipe(z.int().positive()),
    z.coerce.number().pipe(z.int()),
    z.string(),
    z.string(),
  ]),
]);

/** Leases that all processes share, in Redis. Each operation is one script. */
export class RedisLeaseStore implements LeaseStore {
  constructor(private readonly redis: RedisScripts) {}

  async acquire(place: string, asked: LeaseRequest): Promise<Exclude<LeaseFound, { state: 'free' }>> {
    const { proof, ref, ttlMs, agent = '', taskId = '' } = asked;
    const found = await this.run(
      ACQUIRE,
      [keyOf(place), FENCE],
      [proof, ref, Math.ceil(ttlMs), agent, taskId],
      'write',
    );
    return found.state === 'free' ? refuse() : found;
  }

  renew(place: string, proof: string, keepMs?: number): Promise<LeaseFound> {
    return this.run(RENEW, [keyOf(place)], [proof, keepMs === undefined ? '' : Math.ceil(keepMs)], 'write');
  }

  release(place: string, proof: string): Promise<LeaseFound> {
    return this.run(RELEASE, [keyOf(place)], [proof], 'write');
  }

  async find(place: string): Promise<Lease | undefined> {
    const found = await this.run(FIND, [keyOf(place)], [], 'read');
    return found.state === 'free' ? undefined : found.lease;
  }

  close(): Promise<void> {
    return this.redis.close();
  }

  private async run(
    script: RedisScript,
    keys: string[],
    args: (string | number)[],
    effect: 'read' | 'write',
  ): Promise<LeaseFound> {
    try {
      return foundIn(await this.redis.run(script, keys, args, effect));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const { executed } = error;
      throw new Fault('BACKEND_UNAVAILABLE', 'The store of leases can not be asked now.', { cause: error, executed });
    }
  }
}

const keyOf = (place: string): string => `${PREFIX}${place}`;

function foundIn(given: unknown): LeaseFound {
  const answer = Answer.safeParse(given);
  if (!answer.success) return refuse();
  const [state, ref, fence, expiresAt, agent, taskId] = answer.data;
  if (state === 'free') return { state };
  return {
    state,
    lease: { ref, fence, expiresAt, ...(agent !== '' && { agent }), ...(taskId !== '' && { taskId }) },
  };
}

/** Somebody else has written there: what it says opens nothing. */
function refuse(): never {
  throw new StorageError('rejected', 'What Redis at REDIS_URL holds is no lease of ours.', { executed: 'unknown' });
}
