interface Closable {
  close(): Promise<unknown>;
}

/**
 * Closes all of them, one after the other; one that fails leaves none of the others open. Rejects, when all have ended, with
 * what the first of the failed ones said.
 */
export async function closeInTurn(opened: Iterable<Closable>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of opened) await one.close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** The same, all at once. */
export async function closeTogether(opened: Iterable<Closable>): Promise<void> {
  const outcomes = await Promise.allSettled([...opened].map((one) => one.close()));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
