import { badHttp } from './bad-http.js';
import { badMessages } from './bad-messages.js';
import { badParams } from './bad-params.js';
import { headerDisputes } from './header-disputes.js';
import { goodRequests } from './good-requests.js';
import type { WireRequest } from './compose.js';

/**
 * Several hundred requests, good, bad and hostile, over all revisions: what the front door and the oracle are both sent.
 * The same for the same seed. Each name occurs once.
 */
export function oracleRequests(seed: number): WireRequest[] {
  return [...goodRequests(seed), ...headerDisputes(), ...badParams(seed), ...badMessages(), ...badHttp()];
}
