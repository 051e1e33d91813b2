import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { toolPath } from './installed-tool.js';
import { freePort, ServerProcess } from './server-process.js';

export interface PostgresServerOptions {
  /** Whether it has the extension `vector`: another server, PostgreSQL 18 with pgvector. */
  readonly vectors?: boolean;
  /** Copied into its data, readable for itself alone: by name there. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further settings, for instance `{ max_connections: '5' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresServer {
  /** Its superuser's, with a password that has to be right. */
  readonly url: string;
  readonly port: number;
  readonly password: string;
  /** Ends it in peace and removes its folder. */
  stop(): Promise<void>;
  /** Ends it as a crash does: every process of it at once. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, stopping it first if it runs. */
  restart(): Promise<void>;
  /** Stops it where it stands: connections stay, nothing is answered. */
  freeze(): void;
  thaw(): void;
}

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const UID = process.getuid?.() === 0 ? 65_534 : undefined;
const run = promisify(execFile);

/** Starts a real PostgreSQL on the loopback, new and empty. Rejects when there is none installed or it does not come up. */
export const startPostgresServer = async (options: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const { vectors = false, settings = {}, files = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), 'portico-postgres-'));
  if (UID !== undefined) await chown(folder, UID, UID);
  const bin = await binaries(vectors, folder);
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password);
  if (UID !== undefined) await chown(passwordFile, UID, UID);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'portico', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8'];
  // What the wheel of pgvector's server brings along stands in its lib folder.
  const env = { ...process.env, ...(vectors && { LD_LIBRARY_PATH: join(bin, '../lib') }) };
  await run(join(bin, 'initdb'), [...init, '--no-locale', '--no-sync'], { uid: UID, gid: UID, cwd: folder, env });
  for (const [name, from] of Object.entries(files)) {
    await cp(from, join(data, name));
    await chmod(join(data, name), 0o600);
    if (UID !== undefined) await chown(join(data, name), UID, UID);
  }
  const set = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings };
  const server = new ServerProcess({
    name: 'postgres',
    file: join(bin, 'postgres'),
    args: ['-D', data, '-p', `${port}`, ...Object.entries(set).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    ready: /database system is ready to accept connections/,
    uid: UID,
    env,
  });
  await server.start();
  return {
    url: `postgres://portico:${password}@127.0.0.1:${port}/postgres`,
    port,
    password,
    kill: () => server.end('SIGKILL'),
    restart: async () => {
      await server.end('SIGINT');
      // Of a server that was killed, its own processes hold its memory a little longer.
      for (let left = 50; ; left--) {
        const failed = await server.start().then(
          () => undefined,
          (error: unknown) => error as Error,
        );
        if (failed === undefined) return;
        if (left === 0 || !String(failed).includes('still in use')) throw failed;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
    stop: async () => {
      server.signal('SIGCONT');
      await server.end('SIGINT');
      await server.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The folder of `postgres` and `initdb`; a copy of the installation when our user may not enter where it is. */
const binaries = async (vectors: boolean, folder: string): Promise<string> => {
  const tool = vectors ? 'pgvector' : 'postgres';
  const found = toolPath(tool);
  if (found === undefined) throw new Error(`There is no ${tool} on this machine.`);
  const file = await realpath(found);
  try {
    await run(file, ['--version'], { uid: UID, gid: UID, cwd: folder });
    return dirname(file);
  } catch {
    const copy = join(folder, 'installation');
    await cp(dirname(dirname(file)), copy, { recursive: true });
    return join(copy, 'bin');
  }
};
