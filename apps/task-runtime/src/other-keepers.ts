import { rollCall, sourceHeartbeat, sourceHello } from '@portico/contracts';
import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';

/** Who has not been heard for so long is gone: three of its heartbeats. */
const SILENT_MS = 3_000;
const SOURCE = 'domain.task';

/**
 * Hears whether another process serves `task.*` on the bus. Leases in memory are one process's own: two that answer in turn
 * would grant one resource twice, so while `heard` neither may answer.
 */
export async function hearOtherKeepers(bus: Bus, instance: string, log: Log) {
  let lastHeard = -Infinity;
  const heard = (): boolean => performance.now() - lastHeard < SILENT_MS;
  const hear = (other: string): void => {
    if (other === instance) return;
    if (!heard()) log.error('leases.kept-twice', { setting: 'REDIS_URL', other });
    lastHeard = performance.now();
  };
  const listening = [
    await bus.listen(sourceHello, (told) => void (told.source === SOURCE && hear(told.instance))),
    await bus.listen(sourceHeartbeat, (told) => void (told.sources.includes(SOURCE) && hear(told.instance))),
  ];
  bus.tell(rollCall, {});
  return { heard, close: () => Promise.all(listening.map((one) => one.close())) };
}
