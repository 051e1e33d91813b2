import { Fault } from '@portico/contracts';

const RACE = 'The declared file was changed by another at the same moment.';
const RULE = 'A rule of the repository forbids this commit, or there is a secret in it. Nothing was changed.';
const LIMITED = 'The Git server asks to wait before the next request.';

/** What an error answer of the contents API is, in our words: its own would tell callers what they can not use. */
export function explainGit(status: number, body: string): string | undefined {
  if (status === 409) return /rule violation|secret_scanning|"bypass_placeholders"/i.test(body) ? RULE : RACE;
  if (status === 403 && /rate limit|abuse detection/i.test(body)) return LIMITED;
  return undefined;
}

/** Throws the fault that it means: a limit of rate comes as 403. */
export function gitFault(error: unknown): never {
  if (error instanceof Fault && error.message === LIMITED)
    throw new Fault('RATE_LIMITED', LIMITED, { cause: error, retryAfterMs: error.retryAfterMs });
  throw error;
}

/** Whether a write lost against another one, and may be tried anew on what is there now. */
export const isRace = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'CONFLICT' && error.message === RACE;
