import type { DomainTool } from '@portico/domain-kit';
import type { DispatcherClient } from './client.js';
import { getLogs } from './tools/get-logs.js';
import { getRun } from './tools/get-run.js';
import { listArtifacts } from './tools/list-artifacts.js';
import { listRuns } from './tools/list-runs.js';

/**
 * All that `dagger.*` publishes. None of it is cached: whoever asks waits for a run to end, and an answer of half a minute
 * ago would make it wait on.
 */
export const tools = (dispatcher: DispatcherClient): DomainTool[] => [
  listRuns(dispatcher),
  getRun(dispatcher),
  getLogs(dispatcher),
  listArtifacts(dispatcher),
];
