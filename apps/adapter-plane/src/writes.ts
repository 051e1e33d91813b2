import type { BackendSettings } from '@portico/domain-kit';
import type { PlaneReader } from './client.js';
import type { AdapterPlaneConfig } from './config.js';
import { DeclaredFiles } from './declared/declared-files.js';
import { GitClient } from './declared/git-client.js';
import { PlaneWriter } from './writer.js';
import { ApiWrites } from './writes/api-writes.js';
import { DualWrites } from './writes/dual-writes.js';
import { GitWrites } from './writes/git-writes.js';
import type { WorkItemWrites } from './writes/work-item-writes.js';

/** Where this adapter writes. Only where Plane itself is written to is there a client that can. */
export function writesOf(config: AdapterPlaneConfig, plane: PlaneReader, log: BackendSettings['log']): WorkItemWrites {
  const { writes } = config;
  const toPlane = () => new ApiWrites(plane, new PlaneWriter(config, log));
  if (writes.mode === 'api') return toPlane();
  const files = new DeclaredFiles(new GitClient(writes.git, log), writes.git.branch, writes.git.path);
  const toGit = new GitWrites(plane, files);
  return writes.mode === 'git' ? toGit : new DualWrites(toGit, toPlane());
}
