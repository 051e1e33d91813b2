import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const leftovers = join(import.meta.dirname, '../bench/soak/leftovers.mjs');

/** Leaves one of each behind, says what shows, takes them away again, and says what shows then. */
const PROGRAM = `
  import { spawn } from 'node:child_process';
  import { connect, createServer } from 'node:net';
  import { held, leftBehind, settled } from ${JSON.stringify(leftovers)};
  const none = Object.fromEntries(Object.keys(held('mark')).map((what) => [what, 0]));
  const allowed = { ...none, heap: 1_000_000 };
  const before = held('mark');
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const timers = [setTimeout(() => {}, 60_000).unref()];
  let memory = Array.from({ length: 100_000 }, (_, n) => ({ n }));
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(server.address().port, '127.0.0.1');
  await new Promise((resolve) => server.once('connection', resolve));
  const full = leftBehind(before, held('mark'), allowed);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  client.destroy();
  server.close();
  clearTimeout(timers[0]);
  memory = undefined;
  await gone;
  // What Node opens at the first use of either stays.
  const empty = await settled('mark', before, { ...allowed, files: 2, sockets: 2, children: 1 }, 10_000);
  console.log(JSON.stringify({ full, left: empty.left }));
`;

describe('what the soak counts', () => {
  it('is every process, file, socket, timer that lets the process end, and memory that is left behind, and nothing once they are gone', async () => {
    const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', PROGRAM];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { full, left } = JSON.parse(stdout) as { full: string[]; left: string[] };
    expect(full).toEqual(
      expect.arrayContaining(['processes', 'files', 'active', 'timers', 'sockets', 'children', 'heap']),
    );
    expect(left).toEqual([]);
  });
});
