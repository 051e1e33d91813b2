import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeKubernetes } from './fake-kubernetes.js';

/** The real kubernetes-mcp-server of npm, on a Kubernetes API that is ours. */
export interface KubernetesMcp {
  readonly url: string;
  /** Ends the process at once, as a crash does; resolves when it has gone. */
  kill(): Promise<void>;
  /** Starts it anew on the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface KubernetesMcpOptions {
  readonly api: FakeKubernetes;
  /** 2026-07-28 is spoken in this mode alone. */
  readonly stateless?: boolean;
  readonly flags?: readonly string[];
}

/** The token in the kubeconfig: whatever reaches a caller must not contain it. */
export const KUBECONFIG_TOKEN = 'kubeconfig-token-9f3c';
const READY_WITHIN_MS = 15_000;

/** Starts one over HTTP on a free loopback port, and waits until it answers. */
export async function startKubernetesMcp({
  api,
  stateless = false,
  flags = [],
}: KubernetesMcpOptions): Promise<KubernetesMcp> {
  const { program, kubeconfig, remove } = await kubernetesMcpProgram(api);
  const port = await freePort();
  const args = ['--port', String(port), '--bind-address', '127.0.0.1', '--kubeconfig', kubeconfig, ...flags];
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
  };
  const restart = async () => {
    await kill();
    child = spawn(program, stateless ? [...args, '--stateless'] : args, { stdio: 'ignore', env: {} });
    await answering(`http://127.0.0.1:${port}/healthz`);
  };
  const close = () => kill().then(remove);
  try {
    await restart();
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}/mcp`, kill, restart, close };
}

/** The program and a kubeconfig for it, for a command line of one's own; `remove` takes the kubeconfig away. */
export async function kubernetesMcpProgram(
  api: FakeKubernetes,
): Promise<{ program: string; kubeconfig: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-kubernetes-'));
  const kubeconfig = join(folder, 'kube config');
  await writeFile(kubeconfig, api.kubeconfig(KUBECONFIG_TOKEN));
  const modules = join(import.meta.dirname, '../../../node_modules');
  const binary = join(modules, 'kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64');
  // Elsewhere npm brings another binary, behind a script that finds it.
  const program = existsSync(binary) ? binary : join(modules, '.bin/kubernetes-mcp-server');
  return { program, kubeconfig, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answering(url: string): Promise<void> {
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await sleep(50)) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
  }
  throw new Error('kubernetes-mcp-server did not answer in time.');
}
