import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

const START_MS = 30_000;
const STOP_MS = 5_000;

export interface ServerCommand {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** What it prints when it takes connections. */
  readonly ready: RegExp;
  /** Whom it runs as; this process's own user unless given. */
  readonly uid?: number | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** A real server in a process group of its own, on the loopback, that can be killed and started again. */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private readonly killWithUs = (): void => this.signal('SIGKILL');

  constructor(private readonly command: ServerCommand) {
    process.on('exit', this.killWithUs);
  }

  /** Rejects with what it printed when it is not ready in 30 s. */
  async start(): Promise<void> {
    const { file, args, ready, name, uid, env } = this.command;
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, uid, gid: uid, env });
    this.child = child;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => fail('it was not ready in time'), START_MS);
      const fail = (why: string, cause?: unknown): void => {
        clearTimeout(late);
        this.signal('SIGKILL');
        this.child = undefined;
        reject(new Error(`${name} did not start: ${why}. ${output}`, { cause }));
      };
      const read = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-4_000);
        if (!ready.test(output)) return;
        clearTimeout(late);
        resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', (error) => fail('it can not be run', error));
      child.once('exit', (code) => fail(`it exited with ${String(code)}`));
    });
  }

  /** Ends it and all that it started; by SIGKILL when it is not gone in 5 s. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (signal === 'SIGKILL') this.signal(signal);
    else child.kill(signal);
    const late = setTimeout(() => this.signal('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(late);
    this.signal('SIGKILL');
    this.child = undefined;
  }

  /** To the server and all that it started, which PostgreSQL's own processes leave the group for. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    for (const target of [...childrenOf(pid), -pid]) {
      try {
        process.kill(target, signal);
      } catch {
        // It has ended.
      }
    }
  }

  async dispose(): Promise<void> {
    await this.end('SIGTERM');
    process.off('exit', this.killWithUs);
  }
}

const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
