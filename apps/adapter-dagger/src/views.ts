import { given } from '@portico/domain-kit';
import type { Run } from './replies.js';

/** A run as agents see it in a list: what they choose by. */
export const runView = (run: Run) => ({
  run_id: run.id,
  pipeline: given(run.pipeline),
  function: given(run.function),
  status: run.status,
  conclusion: given(run.conclusion),
  attempt: given(run.attempt),
  trigger: given(run.trigger?.type),
  actor: given(run.trigger?.actor),
  repository: given(run.source?.repo),
  branch: given(run.source?.branch),
  commit: given(run.source?.commit),
  created_at: given(run.created_at),
  finished_at: given(run.finished_at),
  duration_ms: given(run.duration_ms),
});
