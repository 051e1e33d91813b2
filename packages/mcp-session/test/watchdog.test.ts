import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { stdioServer } from '@portico/testkit';
import type { StdioFixture, StdioScript } from '@portico/testkit';
import { closeSessions, hold, call, overStdio, soon, until } from './sessions.js';

const opened: { close(): void }[] = [];
const parents: ChildProcess[] = [];
afterEach(async () => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
  await closeSessions();
  for (const one of opened.splice(0)) one.close();
});

const fixture = (script: StdioScript): StdioFixture => {
  const made = stdioServer(script);
  opened.push(made);
  return made;
};

/** Runs, and is not only waiting for its parent to notice that it has ended. */
const lives = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** All of its processes run, and those that ignore SIGTERM do so by now. */
const isGrown = (server: StdioFixture): boolean => server.events().includes('grown up');

/** The watchdogs whose parent is (or was) `pid`, by their command line. */
const watchdogs = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r sign group');
      } catch {
        return false;
      }
    })
    .map(Number);

/** Undefined: it has gone meanwhile. */
const parentOf = (pid: number): number | undefined => {
  try {
    return Number(/\nPPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
};
const ownWatchdogs = (parent: number): number[] => watchdogs().filter((pid) => parentOf(pid) === parent);

/** A process of its own that starts `servers` and has each watched, by the very source of the watchdog. */
async function startParent(
  servers: readonly StdioFixture[],
  { more = '', shell, home = '/' }: { more?: string; shell?: string; home?: string } = {},
): Promise<ChildProcess> {
  const source = readFileSync(fileURLToPath(new URL('../src/watchdog.ts', import.meta.url)), 'utf8');
  const there = shell === undefined ? source : source.replaceAll(/'\/bin\/(?:ba)?sh'/g, JSON.stringify(shell));
  const found = there.replace('env: {', `env: { HOME: ${JSON.stringify(home)},`);
  const { code } = transformSync(found, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  const program = `${code}
    const started = [];
    for (const { command, args, env } of ${JSON.stringify(servers.map(({ command, args, env }) => ({ command, args, env })))}) {
      const child = spawn(command, args, { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
      watchdog.watch(child.pid);
      started.push(child.pid);
    }
    ${more}
    process.stdout.write('ready');
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  parents.push(parent);
  await once(parent.stdout!, 'data');
  return parent;
}

describe('[UP-9] when the gateway is killed by kill -9', () => {
  // What is needed for it is in the plain shell of every system.
  it.each(['/bin/sh', '/bin/bash'])(
    'its server processes end within 2 s, with what they started and %s',
    async (shell) => {
      const servers = [fixture({ grandchild: true, stubborn: true }), fixture({ grandchild: true })];
      const parent = await startParent(servers, { shell });
      const pids = () => servers.flatMap((server) => server.pids());
      await until(() => servers.every(isGrown));
      expect(pids()).toHaveLength(4);
      const [dog, ...others] = ownWatchdogs(parent.pid!);
      expect(others).toEqual([]);
      // Neither the groups' own signals nor a polite one from a supervisor end it.
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(dog!, signal);
      expect(pids().every(lives)).toBe(true);
      const killed = performance.now();
      parent.kill('SIGKILL');
      await until(() => !pids().some(lives));
      // Asked first, and only then made to.
      expect(servers[0]!.events()).toContain('ignored SIGTERM');
      // 2 s are promised; ten times that is where a busy machine ends.
      expect(performance.now() - killed).toBeLessThan(20_000);
      await until(() => !lives(dog!));
    },
  );

  it('[UP-13] or suspended, after it began to say that it is alive, they end as well', async () => {
    const server = fixture({ grandchild: true, stubborn: true });
    const parent = await startParent([server], { more: 'setInterval(() => watchdog.beat(), 200);' });
    await until(() => isGrown(server));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(server.pids().every(lives)).toBe(true);
    parent.kill('SIGSTOP');
    await until(() => !server.pids().some(lives));
    parent.kill('SIGCONT');
  });

  it('a watchdog that was killed itself is there again, and knows every group', async () => {
    const server = fixture({ grandchild: true, stubborn: true });
    const parent = await startParent([server], { more: "setInterval(() => process.stdout.write('.'), 50);" });
    await until(() => isGrown(server));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const [first] = ownWatchdogs(parent.pid!);
    process.kill(first!, 'SIGKILL');
    await until(() => ownWatchdogs(parent.pid!).some((pid) => pid !== first));
    // It is seen before it has been told anything: the turn in which it was started is over by the second sign of life.
    await once(parent.stdout!, 'data');
    await once(parent.stdout!, 'data');
    parent.kill('SIGKILL');
    await until(() => !server.pids().some(lives));
  });
});

describe('[UP-9] the watchdog', () => {
  it.each(['/bin/sh', '/bin/bash'])('runs nothing of its user’s, in %s', async (shell) => {
    const home = mkdtempSync(join(tmpdir(), 'portico-home-'));
    for (const file of ['.bashrc', '.profile', '.bash_profile']) writeFileSync(join(home, file), 'echo > ~/ran\n');
    const parent = await startParent([fixture({})], { shell, home });
    parent.kill('SIGKILL');
    await until(() => ownWatchdogs(parent.pid!).length === 0);
    expect(existsSync(join(home, 'ran'))).toBe(false);
    rmSync(home, { recursive: true });
  });

  it.each(['/bin/sh', '/bin/bash'])('ends nothing that has ended already, in %s', async (shell) => {
    const servers = [1, 2, 3].map(() => fixture({ stubborn: true }));
    // Told of each of them, and that two of them are no longer its business.
    const more = 'const [first, , last] = started; watchdog.release(first); watchdog.release(last);';
    const parent = await startParent(servers, { shell, more });
    const pids = () => servers.flatMap((server) => server.pids());
    await until(() => pids().length === 3);
    parent.kill('SIGKILL');
    await until(() => !lives(servers[1]!.pids()[0]!) && ownWatchdogs(parent.pid!).length === 0);
    const left = [servers[0]!, servers[2]!].flatMap((server) => server.pids());
    expect(left.filter(lives)).toEqual(left);
    expect(servers[0]!.events()).not.toContain('ignored SIGTERM');
    left.forEach((pid) => process.kill(pid, 'SIGKILL'));
  });

  it('is one small process for all servers, and gone with the last of them', async () => {
    const sessions = [fixture({}), fixture({})].map((server) => hold(overStdio(server)));
    for (const session of sessions) await session.callTool(call('echo'), { signal: soon() });
    const [dog, ...others] = ownWatchdogs(process.pid);
    expect(others).toEqual([]);
    const memory = Number(/\nRssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${dog}/status`, 'utf8'))?.[1]);
    expect(memory).toBeLessThan(2_000);
    await sessions[0]!.close();
    expect(ownWatchdogs(process.pid)).toEqual([dog]);
    await sessions[1]!.close();
    await until(() => ownWatchdogs(process.pid).length === 0);
  });
});
