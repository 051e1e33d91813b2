import { setTimeout as delay } from 'node:timers/promises';

/** How long a group may take to end by itself after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000;
const POLL_MS = 20;

/** Ends a whole process group: SIGTERM, and SIGKILL to what is left after 2 s. Resolves when it is gone or killed. */
export async function endProcessGroup(leader: number): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return;
  for (let waited = 0; waited < GRACE_MS; waited += POLL_MS) {
    await delay(POLL_MS);
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, 'SIGKILL');
}

/** False when there is no such group (any more). */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}
