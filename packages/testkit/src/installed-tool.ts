import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps servers, whether or not a user's PATH says so. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** Where `scripts/install-pgserver.sh` puts PostgreSQL with pgvector; PGVECTOR_SERVER names another installation. */
const PGVECTOR_FOLDER = join(import.meta.dirname, '../../../.cache/pgserver');

/** Where `scripts/install-kubernetes-tools.sh` puts what renders and checks manifests. */
const KUBERNETES_FOLDER = join(import.meta.dirname, '../../../.cache/kubernetes-tools/bin');

/** A real program that a suite needs and a machine may not have. `pgvector`: a PostgreSQL that has the extension. */
export type Tool = 'nats-server' | 'redis-server' | 'postgres' | 'pgvector' | 'curl' | KubernetesTool;
type KubernetesTool = 'kustomize' | 'kubernetes-validate';

/** Full path of an installed tool; `undefined` when it is not on this machine. */
export const toolPath = (tool: Tool): string | undefined => candidates(tool).find(isExecutable);

const candidates = (tool: Tool): string[] => {
  if (tool === 'pgvector') return [join(process.env['PGVECTOR_SERVER'] ?? PGVECTOR_FOLDER, 'bin/postgres')];
  if (tool === 'kustomize' || tool === 'kubernetes-validate') return [join(KUBERNETES_FOLDER, tool)];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS];
  if (tool === 'postgres') folders.push(...postgresFolders());
  return folders.filter((folder) => folder !== '').map((folder) => join(folder, tool));
};

/** Debian keeps each major version apart, and none of them in PATH. */
const postgresFolders = (): string[] => {
  try {
    return readdirSync(POSTGRES_FOLDER).map((version) => join(POSTGRES_FOLDER, version, 'bin'));
  } catch {
    return [];
  }
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
