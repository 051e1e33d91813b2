import { Fault } from '@portico/contracts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What GitHub asks for where it does not say how long to wait. */
const UNTOLD_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** What an error answer of GitHub means where its status alone does not say it, in our words. */
export function githubFault(status: number, headers: Headers, body: string, now = Date.now()): Fault | undefined {
  const cause = Object.assign(new Error(`HTTP ${status}`), { status });
  switch (status) {
    case 301:
    case 307:
      return new Fault('UNKNOWN_ERROR', 'GitHub has this at another place now, where it is not read from here.', {
        cause,
      });
    // Both limits of rate, the hourly and that of bursts, come with either status.
    case 403:
    case 429: {
      const isLimit = status === 429 || headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(body);
      if (!isLimit) return undefined;
      const message = 'GitHub asks to wait before the next request.';
      return new Fault('RATE_LIMITED', message, { cause, retryAfterMs: waitOf(headers, now) });
    }
    case 404:
      return new Fault('NOT_FOUND', "The repository has no such thing, or the gateway's token may not read it.", {
        cause,
      });
    case 409:
      return /is empty/i.test(body)
        ? new Fault('CONFLICT', 'The repository has no commits yet.', { cause })
        : undefined;
    default:
      return undefined;
  }
}

function waitOf(headers: Headers, now: number): number {
  const number = (name: string): number | undefined => {
    const value = headers[name];
    return typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : undefined;
  };
  const seconds = number('retry-after');
  const reset = headers['x-ratelimit-remaining'] === '0' ? number('x-ratelimit-reset') : undefined;
  const wait = seconds !== undefined ? seconds * 1_000 : reset !== undefined ? reset * 1_000 - now : UNTOLD_WAIT_MS;
  return Math.min(Math.max(wait, 0), LONGEST_WAIT_MS);
}
