import { type SettingsOf, setting } from '@portico/settings';

export const limitSettings = {
  REDIS_URL: setting.text({
    default: 'memory:',
    orFile: true,
    meaning: 'where replicas share what they know for a short time, such as redis://host:6379',
  }),
  RATE_LIMIT_PER_SECOND: setting.integer({
    max: 1_000_000,
    shownDefault: '50; with AUTH_MODE=none 0',
    meaning: 'requests a second that each principal may send, over all front doors on one REDIS_URL; 0: any number',
  }),
  RATE_LIMIT_BURST: setting.integer({
    default: 100,
    min: 1,
    max: 1_000_000,
    meaning: 'requests that a principal may send at once after a rest',
  }),
  CONCURRENCY_LIMIT: setting.integer({
    shownDefault: '128; with AUTH_MODE=none 0',
    meaning: 'requests of one principal that run at once, over all front doors on one REDIS_URL; 0: any number',
  }),
  TOTAL_CONCURRENCY_LIMIT: setting.integer({
    default: 1_024,
    meaning: 'requests of all that run at once, over all front doors on one REDIS_URL; 0: any number',
  }),
  DOMAIN_CONCURRENCY_LIMIT: setting.integer({
    default: 64,
    meaning: 'calls of one domain that one front door runs at once, half of them for one principal; 0: any number',
  }),
  BREAKER_FAILURES: setting.integer({
    default: 5,
    min: 1,
    meaning: 'failures in a row after which a source is asked nothing for a while',
  }),
  BREAKER_RESET_SECS: setting.seconds({
    default: 30,
    meaning: 'how long that is; then one attempt decides',
  }),
};

/** Bounds of what callers may take; 0 stands for none. */
export interface Limits {
  readonly rate: { readonly perSecond: number; readonly burst: number };
  readonly concurrency: { readonly each: number; readonly total: number };
  readonly domain: {
    readonly concurrency: number;
    /** Whether one principal gets at most half of a domain. */
    readonly halved: boolean;
  };
  /** Failures in a row that open a domain's breaker, and milliseconds until one call is let through. */
  readonly breaker: { readonly failures: number; readonly resetMs: number };
}

/** In `none` mode all callers are one principal: what bounds a principal is off there unless it is set. */
export function readLimits(read: SettingsOf<typeof limitSettings>, authMode: string): Limits {
  const apart = authMode !== 'none';
  return {
    rate: { perSecond: read.RATE_LIMIT_PER_SECOND ?? (apart ? 50 : 0), burst: read.RATE_LIMIT_BURST },
    concurrency: { each: read.CONCURRENCY_LIMIT ?? (apart ? 128 : 0), total: read.TOTAL_CONCURRENCY_LIMIT },
    domain: { concurrency: read.DOMAIN_CONCURRENCY_LIMIT, halved: apart },
    breaker: { failures: read.BREAKER_FAILURES, resetMs: read.BREAKER_RESET_SECS * 1_000 },
  };
}
