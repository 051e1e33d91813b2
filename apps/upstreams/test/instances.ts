import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Instances are processes of the build: the tests that start them make sure first that it is the present one. */
export const build = (): void =>
  void execFileSync(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-b',
    join(ROOT, 'apps/upstreams'),
  ]);

/** One `upstreams` process of its own. */
export interface Instance {
  readonly pid: number;
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it and removes its folder. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startInstance(servers: Record<string, unknown>, env: Record<string, string>): Promise<Instance> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-instance-'));
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  const child: ChildProcess = spawn(process.execPath, [join(ROOT, 'apps/upstreams/dist/main.js')], {
    cwd: folder,
    env: { PATH: process.env['PATH'], MCP_SERVERS_FILE: file, LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const serving = new Promise<void>((done, failed) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('upstreams.serving')) done();
      });
    }
    child.once('exit', () => failed(new Error(`it ended:\n${output}`)));
  });
  const exited = once(child, 'exit');
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  await serving.catch(async (error: unknown) => {
    await stop('SIGKILL');
    throw error;
  });
  return { pid: child.pid!, output: () => output, signal: (signal) => void child.kill(signal), stop };
}

/** The parent of a process that lives. */
export const parentOf = (pid: number): number | undefined => {
  try {
    return Number(/\nPPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
};
