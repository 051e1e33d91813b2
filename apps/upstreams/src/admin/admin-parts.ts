import type { Bus } from '@portico/bus';
import type { Log } from '@portico/observe';
import type { UpstreamsConfig } from '../config.js';
import type { Configuration } from '../configuration.js';

/** What the calls of an operator work on. */
export interface AdminParts {
  readonly bus: Bus;
  readonly config: UpstreamsConfig;
  readonly log: Log;
  readonly configuration: Configuration;
}
