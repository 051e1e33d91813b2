import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Fault } from '@portico/contracts';
import type { SessionParts } from './connection.js';
import { Faults, Reason } from './faults.js';
import { LineProcess } from './line-process.js';
import { SILENT } from './target.js';
import type { StdioTarget } from './target.js';
import { Watchdog } from './watchdog.js';

const parts: SessionParts = {
  name: 'fixture',
  clientInfo: { name: 'test', version: '1' },
  connectTimeoutMs: 1_000,
  answerLimitBytes: 1_000_000,
  faults: new Faults('fixture'),
  log: SILENT,
  nextId: () => 1,
  changed: () => {},
  resourceUpdated: () => {},
};
const target = (more: Partial<StdioTarget>): StdioTarget => ({
  transport: 'stdio',
  command: '/bin/cat',
  args: [],
  env: {},
  ...more,
});

/** What becomes of a program that can not be started: thrown, or told soon. */
const failureOf = (of: StdioTarget): Promise<unknown> =>
  new Promise((resolve) => {
    const listener = { onLine() {}, onOverlong() {}, onStderr() {}, onOver: resolve };
    try {
      new LineProcess(of, parts, listener);
    } catch (error) {
      resolve(error);
    }
  });

/** How many watchdogs this process has. */
const shells = (): number =>
  execFileSync('ps', ['--ppid', String(process.pid), '-o', 'args'], { encoding: 'utf8' }).split("trap '' HUP").length -
  1;

/** While no more files can be opened. */
function withoutFiles<Value>(act: () => Value): Value {
  const limit = (to: string) => execFileSync('prlimit', [`--pid=${process.pid}`, `--nofile=${to}:`]);
  const usual = /^Max open files\s+(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))![1]!;
  limit('256');
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    return act();
  } finally {
    files.forEach((file) => closeSync(file));
    limit(usual);
  }
}

describe('a program that can not be started', () => {
  it.each([
    ['is not there', { command: '/nonexistent/secret' }, 'ENOENT'],
    ['may not be run', { command: '/etc/passwd' }, 'EACCES'],
    ['is to start where there is no folder', { cwd: '/etc/passwd' }, 'ENOTDIR'],
    ['is given more than fits', { args: ['secret'.repeat(100_000)] }, 'E2BIG'],
    ['is given what no program can be', { env: { TOKEN: 'secret\0' } }, 'ERR_INVALID_ARG_VALUE'],
  ])('because it %s is told by its code, and by nothing that it was to be given', async (_why, more, code) => {
    const fault = await failureOf(target(more));
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    const { cause, message } = fault as Fault;
    expect(cause).toBeInstanceOf(Reason);
    expect((cause as Reason).message).toBe(`the program could not be started (${code})`);
    expect([message, cause, (cause as Reason).stack].join()).not.toContain('secret');
  });

  it('because no more files can be opened is told as well, and ends nobody else', async () => {
    const failing = withoutFiles(() => failureOf(target({})));
    expect(await failing).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    // An `error` that nobody hears would end the whole process on the next turn.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('has no watchdog then either: the next group has it started', async () => {
    const dog = new Watchdog();
    const nobody = [2 ** 22 + 1, 2 ** 22 + 2] as const;
    withoutFiles(() => dog.watch(nobody[0]));
    await new Promise((resolve) => setImmediate(resolve));
    const before = shells();
    dog.watch(nobody[1]);
    expect(shells()).toBe(before + 1);
    nobody.forEach((group) => dog.release(group));
  });
});
