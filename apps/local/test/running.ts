import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** What `npm start` runs is the build: these tests make sure first that it is the present one. */
export const build = (): void =>
  void execFileSync(process.execPath, [join(ROOT, 'scripts/build.js')], { stdio: 'ignore' });

export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly adminUrl: string;
  readonly folder: string;
  /** Everything printed so far. */
  output(): string;
  /** Milliseconds from the spawn to the line that tells the address. */
  readonly openAfterMs: number;
  /** Resident memory of the process itself, in bytes. */
  memory(): number;
  until(pattern: RegExp, ms?: number): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Runs what `npm start` runs, in an empty folder of its own, on ports that the system picks. */
export async function start(env: Record<string, string> = {}, args: string[] = []): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-start-'));
  const started = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'apps/local/dist/main.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const until = async (pattern: RegExp, ms = 20_000): Promise<void> => {
    for (const end = Date.now() + ms; !pattern.test(output);) {
      if (Date.now() > end || child.exitCode !== null)
        throw new Error(`${String(pattern)} was not printed:\n${output}`);
      await new Promise((next) => setTimeout(next, 5));
    }
  };
  await until(/Operators: http/);
  const openAfterMs = performance.now() - started;
  return {
    child,
    folder,
    openAfterMs,
    url: /open at (http:\S+)\/mcp/.exec(output)?.[1] as string,
    adminUrl: /Operators: (http:\/\/[^\s/]+)/.exec(output)?.[1] as string,
    output: () => output,
    memory: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    until,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await exited;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** Runs it where it can not start, and tells how it ended. */
export async function startFails(
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-start-'));
  const child = spawn(process.execPath, [join(ROOT, 'apps/local/dist/main.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.once('close', (ended) => done(ended)));
  rmSync(folder, { recursive: true, force: true });
  return { code, output };
}
