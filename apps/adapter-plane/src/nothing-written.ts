import { Fault } from '@portico/contracts';

/** What is read before anything is written: when it fails, nothing was executed, whatever became of the reading. */
export async function nothingWritten<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const { code, message, retryAfterMs } = Fault.from(error);
    throw new Fault(code, message, { cause: error, executed: 'no', retryAfterMs });
  }
}
