import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { toolPath } from './installed-tool.js';

const START_MS = 10_000;
const STOP_MS = 3_000;
const LOG_LIMIT = 100_000;

export interface NatsServerOptions {
  /** A free one unless given. */
  readonly port?: number;
  /** Text of a nats-server configuration file, for instance `max_payload: 64KB`. */
  readonly config?: string;
}

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Ends it in peace and removes its folder. */
  stop(): Promise<void>;
  /** Ends it as a crash does: connections break without a word. */
  kill(): Promise<void>;
  /** Starts it again on the same port, stopping it first if it runs. */
  restart(): Promise<void>;
  /** Lets it read its configuration again, as it runs; resolves when it has. Rejects when it does not within 10 s. */
  reload(): Promise<void>;
  /** What it has written to its log, the last 100,000 characters of it. */
  log(): string;
}

export const natsServerAvailable = (): boolean => toolPath('nats-server') !== undefined;

/** Starts a real nats-server on the loopback. Rejects when there is none installed or it does not come up in 10 s. */
export const startNatsServer = async (options: NatsServerOptions = {}): Promise<NatsServer> => {
  const binary = toolPath('nats-server');
  if (binary === undefined) throw new Error('There is no nats-server on this machine.');
  const port = options.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'portico-nats-'));
  const config = join(folder, 'nats.conf');
  await writeFile(config, options.config ?? '');

  let child: ChildProcess | undefined;
  const killWithUs = (): void => void child?.kill('SIGKILL');
  process.on('exit', killWithUs);

  let output = '';
  const start = async (): Promise<void> => {
    child = spawn(binary, ['-a', '127.0.0.1', '-p', String(port), '-c', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-LOG_LIMIT)));
    await untilAnswers(port, child).catch((error: unknown) => {
      child?.kill('SIGKILL');
      throw new Error(`nats-server did not start: ${output.slice(-2_000)}`, { cause: error });
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = once(ending, 'exit');
    ending.kill(signal);
    const late = setTimeout(() => ending.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(late);
  };

  await start();
  return {
    url: `nats://127.0.0.1:${String(port)}`,
    port,
    kill: () => end('SIGKILL'),
    log: () => output,
    reload: async () => {
      output = '';
      child?.kill('SIGHUP');
      for (const until = performance.now() + START_MS; performance.now() < until; await delay(20))
        if (output.includes('Reloaded server configuration')) return;
      throw new Error(`nats-server did not read its configuration again: ${output.slice(-2_000)}`);
    },
    restart: async () => {
      await end('SIGTERM');
      await start();
    },
    stop: async () => {
      await end('SIGTERM');
      process.off('exit', killWithUs);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** A NATS server greets whoever connects; until then it is not ready. */
const untilAnswers = async (port: number, child: ChildProcess): Promise<void> => {
  for (const until = performance.now() + START_MS; performance.now() < until; await delay(20)) {
    if (child.exitCode !== null) throw new Error(`it exited with ${String(child.exitCode)}`);
    const socket = connect(port, '127.0.0.1');
    const greeted = await once(socket, 'data').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (greeted) return;
  }
  throw new Error('it did not answer');
};
