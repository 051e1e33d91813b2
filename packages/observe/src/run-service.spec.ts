import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { transformFileSync } from '@swc/core';

describe('runService', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-run-'));
  const started: ChildProcess[] = [];

  beforeAll(() => {
    const options = { jsc: { parser: { syntax: 'typescript' as const }, target: 'es2022' as const } };
    writeFileSync(
      join(folder, 'run-service.mjs'),
      transformFileSync(join(import.meta.dirname, 'run-service.ts'), options).code,
    );
  });
  afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A process whose service is this source text; resolves when it said that it is up. */
  const run = (start: string) => {
    const main = join(folder, `main-${started.length}.mjs`);
    writeFileSync(
      main,
      `import { runService } from './run-service.mjs';\nawait runService(async () => { ${start} });\n`,
    );
    const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    const ended = once(child, 'close').then(([code]) => code as number);
    return { child, ended, up: once(child.stdout, 'data'), said: text(child.stderr) };
  };
  // Said once the service has started, so that the signal finds it running.
  const IDLE = `setInterval(() => {}, 1000); setImmediate(() => process.stdout.write('up'));`;

  it.each(['SIGTERM', 'SIGINT'] as const)('closes the service on %s and exits with 0', async (signal) => {
    const { child, ended, up, said } = run(`${IDLE} return { close: async () => process.stderr.write('closed') };`);
    await up;
    child.kill(signal);
    expect([await ended, await said]).toEqual([0, 'closed']);
  });

  it('exits with 1 and one sentence when the service cannot start', async () => {
    const { ended, said } = run(`throw new Error('PORT is "x", but it takes a port.', { cause: new Error('inner') });`);
    expect([await ended, await said]).toEqual([1, 'PORT is "x", but it takes a port.\n']);
  });

  it('exits with 1 and one sentence when nothing keeps it running', async () => {
    const { ended, said } = run(`return { close: async () => {} };`);
    expect([await ended, await said]).toEqual([1, expect.stringMatching(/^Nothing is left .*BUS_URL.*\n$/)]);
  });

  it('exits with 1 when the stop fails', async () => {
    const { child, ended, up, said } = run(`${IDLE} return { close: () => Promise.reject(new Error('stuck')) };`);
    await up;
    child.kill('SIGTERM');
    expect([await ended, await said]).toEqual([1, 'The stop failed: stuck\n']);
  });

  it('ends at once on a second signal', async () => {
    const { child, ended, up, said } = run(
      `${IDLE} return { close: () => { process.stderr.write('closing'); return new Promise(() => {}); } };`,
    );
    await up;
    const closing = once(child.stderr, 'data');
    child.kill('SIGTERM');
    await closing;
    child.kill('SIGINT');
    expect([await ended, await said]).toEqual([130, 'closing']);
  });
});
