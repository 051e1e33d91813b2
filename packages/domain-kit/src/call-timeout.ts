import { setting } from '@portico/settings';

/** The deadline of a domain's calls, in its settings; a tool's own comes first. */
export const callTimeoutSettings = {
  CALL_TIMEOUT_SECS: setting.seconds({
    min: 0.001,
    shownDefault: '30 for domains, 120 for upstream servers',
    meaning: "the deadline of a call; an entry's own comes first",
  }),
};

const DOMAIN_CALL_TIMEOUT_SECS = 30;

/** Milliseconds that a call of a domain may take, as the setting says. */
export const domainCallTimeoutMs = (seconds: number = DOMAIN_CALL_TIMEOUT_SECS): number => Math.ceil(seconds * 1_000);
