/** Exits within this after a signal, whatever still runs. */
const STOP_LIMIT_MS = 10_000;

let last = (): Promise<void> => Promise.resolve();

/** What a process does when its service has closed. It must not reject. */
export const runLast = (work: () => Promise<void>): void => {
  last = work;
};

/**
 * The life of a service's process: starts it, stops it on SIGTERM or SIGINT, its telemetry last, and exits. What keeps it from starting is
 * one sentence on standard error and exit status 1, and so is that nothing keeps it running; a second signal ends it at once.
 * A process that started it with a channel is sent `started`.
 */
export async function runService(start: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  // Whoever read our output may have gone; that is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let service: { close(): Promise<void> };
  try {
    service = await start();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  process.send?.('started');
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    const closed = service.close().finally(last);
    closed.then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`The stop failed: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  // Ended with status 0 and without a word, it would look as if all were well.
  process.once('beforeExit', () => {
    if (stopping) return;
    process.stderr.write('Nothing is left to wait for: alone on BUS_URL=memory: a service hears nobody.\n');
    process.exit(1);
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
