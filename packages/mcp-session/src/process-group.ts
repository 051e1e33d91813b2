import { setTimeout as delay } from 'node:timers/promises';

/** How long a group may take to end by itself after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000;
const POLL_MS = 20;

/** How long what was killed may take to be gone, in milliseconds. */
const KILLED_MS = 500;

/** Ends a whole process group: SIGTERM, and SIGKILL to what is left after 2 s. Resolves when it is gone. */
export async function endProcessGroup(leader: number): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM') || (await gone(leader, GRACE_MS))) return;
  signalGroup(leader, 'SIGKILL');
  await gone(leader, KILLED_MS);
}

async function gone(leader: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs; waited += POLL_MS) {
    await delay(POLL_MS);
    if (!signalGroup(leader, 0)) return true;
  }
  return false;
}

/** False when there is no such group (any more). */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}
