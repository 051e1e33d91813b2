import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolPath } from './installed-tool.js';
import { freePort, ServerProcess } from './server-process.js';

export interface RedisServerOptions {
  /** What it takes to sign in; nothing unless given. */
  readonly password?: string;
  /** Files with which it speaks TLS alone. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string };
  /** Whether it has its data again after it died: it has not, unless asked to. */
  readonly keepsData?: boolean;
  /** Further lines of its configuration, for instance `['maxmemory', '2mb']`. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** One command by its own client, as one who knows the password that it was started with. */
  command(...words: string[]): Promise<string>;
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
  const { password, keepsData = false, settings = [], tls } = options;
  const file = toolPath('redis-server');
  if (file === undefined) throw new Error('There is no redis-server on this machine.');
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'portico-redis-'));
  const kept = keepsData ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
  const further = settings.flatMap(([name, value]) => [`--${name}`, value]);
  const secret = password === undefined ? [] : ['--requirepass', password];
  const files = tls && ['--tls-cert-file', tls.cert, '--tls-key-file', tls.key, '--tls-ca-cert-file', tls.ca];
  const ports = files
    ? ['--port', '0', '--tls-port', `${port}`, ...files, '--tls-auth-clients', 'no']
    : ['--port', `${port}`];
  const server = new ServerProcess({
    name: 'redis-server',
    file,
    args: [...ports, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...kept, ...secret, ...further],
    ready: /Ready to accept connections/,
  });
  await server.start();
  return {
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    port,
    command: async (...words) => {
      const signIn = password === undefined ? [] : ['--no-auth-warning', '-a', password];
      const safely = tls ? ['--tls', '--cacert', tls.ca] : [];
      const asked = promisify(execFile)('redis-cli', ['-p', `${port}`, ...signIn, ...safely, ...words]);
      return (await asked).stdout;
    },
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
