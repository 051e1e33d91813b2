import { Fault } from '@portico/contracts';

/** What the bridge answers with, as it is; and that nobody answers, which says nothing of this domain itself. */
export function bridgeFault(error: unknown): Fault {
  const fault = Fault.from(error);
  if (!fault.unserved) return fault;
  const { executed } = fault;
  return new Fault('BACKEND_UNAVAILABLE', 'The bridge to Slack is not running.', { executed });
}
