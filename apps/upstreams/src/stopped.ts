import { Fault } from '@portico/contracts';

/** What a wait ends with when its signal ends first; nothing was executed. `reason`: the signal's. */
export function stopped(reason: unknown): Fault {
  const timeout =
    reason instanceof Fault ? reason.code === 'TIMEOUT' : (reason as Error | undefined)?.name === 'TimeoutError';
  return timeout
    ? new Fault('TIMEOUT', 'The server was not free in time.', { executed: 'no' })
    : new Fault('CANCELLED', 'The call was cancelled.', { executed: 'no' });
}

/** This instance takes nothing more, and there is no other. */
export const stopping = (): Fault =>
  new Fault('BACKEND_UNAVAILABLE', 'The service that holds this is stopping.', { executed: 'no' });
