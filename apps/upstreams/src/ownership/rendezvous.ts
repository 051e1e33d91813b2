import { createHash } from 'node:crypto';

/**
 * Which of `instances` owns `key`: all who know the same instances agree, and one that comes or goes moves its own share
 * alone. Undefined when there is none.
 */
export function ownerOf(key: string, instances: Iterable<string>): string | undefined {
  let owner: string | undefined;
  let highest = '';
  for (const instance of instances) {
    const score = createHash('sha256').update(`${instance}\0${key}`).digest('hex');
    if (owner !== undefined && score <= highest) continue;
    owner = instance;
    highest = score;
  }
  return owner;
}
