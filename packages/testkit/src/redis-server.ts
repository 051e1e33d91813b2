import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolPath } from './installed-tool.js';
import { freePort, ServerProcess } from './server-process.js';

export interface RedisServerOptions {
  /** What it takes to sign in; nothing unless given. */
  readonly password?: string;
  /** Whether it has its data again after it died: it has not, unless asked to. */
  readonly keepsData?: boolean;
  /** Further lines of its configuration, for instance `['maxmemory', '2mb']`. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Ends it in peace and removes its folder. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same port, stopping it first if it runs. */
  restart(): Promise<void>;
  /** Stops it where it stands: connections stay, nothing is answered. */
  freeze(): void;
  thaw(): void;
}

/** Starts a real redis-server on the loopback. Rejects when there is none installed or it does not come up. */
export const startRedisServer = async (options: RedisServerOptions = {}): Promise<RedisServer> => {
  const { password, keepsData = false, settings = [] } = options;
  const file = toolPath('redis-server');
  if (file === undefined) throw new Error('There is no redis-server on this machine.');
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'portico-redis-'));
  const kept = keepsData ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
  const further = settings.flatMap(([name, value]) => [`--${name}`, value]);
  const secret = password === undefined ? [] : ['--requirepass', password];
  const server = new ServerProcess({
    name: 'redis-server',
    file,
    args: ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...kept, ...secret, ...further],
    ready: /Ready to accept connections/,
  });
  await server.start();
  return {
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    port,
    kill: () => server.end('SIGKILL'),
    restart: async () => {
      await server.end('SIGTERM');
      await server.start();
    },
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
    stop: async () => {
      server.signal('SIGCONT');
      await server.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
