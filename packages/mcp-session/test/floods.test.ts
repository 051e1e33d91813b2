import { afterEach, describe, expect, it } from '@jest/globals';
import { call, closeSessions, faultOf, hold, soon } from './sessions.js';

afterEach(closeSessions);

/** A server that does what it is called, and then answers. */
const FLOODING = `
while read -r line; do
  id="\${line#*\\"id\\":}"; id="\${id%%,*}"
  case "$line" in
    *server/discover*) echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no"}}' ;;
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}' ;;
    *tools/call*)
      case "$line" in
        *zeros*) head -c 1073741824 /dev/zero >&2 ;;
        *lines*) yes 'a line of a log' | head -c 1073741824 >&2 ;;
        *letters*) yes | head -c 16777216 ;;
      esac
      echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
  esac
done`;
const server = () =>
  hold({ transport: 'stdio', command: '/bin/sh', args: ['-c', FLOODING], env: { PATH: '/usr/bin:/bin' } });
const within = (): AbortSignal => AbortSignal.timeout(100_000);

/** The longest that anything else had to wait meanwhile, in milliseconds, and by how much memory grew, in bytes. */
async function meanwhile(act: () => Promise<unknown>): Promise<{ longest: number; grown: number }> {
  let [longest, last, highest] = [0, performance.now(), 0];
  const before = process.memoryUsage().rss;
  const looking = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 5);
  try {
    await act();
  } finally {
    clearInterval(looking);
  }
  return { longest, grown: highest - before };
}

describe('[UP-9] a server that floods', () => {
  it.each([
    ['1 GB without a line end to stderr', 'zeros', 1],
    ['1 GB of lines to stderr', 'lines', 50],
  ])(
    '%s costs neither memory nor anybody else’s time, and its call is answered',
    async (_what, tool, kept) => {
      const session = server();
      const other = server();
      await Promise.all([session, other].map((one) => one.callTool(call('any'), { signal: soon() })));
      const { longest, grown } = await meanwhile(async () => {
        const flood = session.callTool(call(tool), { signal: within() });
        for (let n = 0; n < 20; n++) await other.callTool(call('any'), { signal: soon() });
        expect((await flood).content).toEqual([{ type: 'text', text: 'done' }]);
      });
      expect(session.stderr).toHaveLength(kept);
      expect(Math.max(...session.stderr.map((line) => line.length))).toBeLessThanOrEqual(4_096);
      expect(grown).toBeLessThan(200_000_000);
      expect(longest).toBeLessThan(1_000);
    },
    120_000,
  );

  it('16 MB of lines that are no messages to stdout has its call answered', async () => {
    // To have each of them fail to parse takes more than a minute, and hundreds of milliseconds at a time, in which nobody else is served.
    const { content } = await server().callTool(call('letters'), { signal: AbortSignal.timeout(60_000) });
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
  }, 120_000);

  it('is ended in the middle of it', async () => {
    const session = server();
    await session.callTool(call('any'), { signal: soon() });
    const flood = faultOf(session.callTool(call('lines'), { signal: within() }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await session.close();
    expect(await flood).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
  });
});

describe('a server that reads no more', () => {
  it('has 8 MiB wait for it at most: a call beyond that was never written', async () => {
    const deaf = FLOODING.replace(
      'case "$line" in\n        *zeros*',
      'case "$line" in\n        *deaf*) exec sleep 60 ;;\n        *zeros*',
    );
    const session = hold({
      transport: 'stdio',
      command: '/bin/sh',
      args: ['-c', deaf],
      env: { PATH: '/usr/bin:/bin' },
    });
    await session.callTool(call('any'), { signal: soon() });
    const stop = new AbortController();
    const waiting = [session.callTool(call('deaf'), { signal: stop.signal })];
    const text = 'x'.repeat(1_048_576);
    for (let n = 0; n < 8; n++) waiting.push(session.callTool(call('any', { text }), { signal: stop.signal }));
    const faults = Promise.all(waiting.map(faultOf));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const beyond = await faultOf(session.callTool(call('any', { text }), { signal: soon() }));
    expect(beyond).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    stop.abort();
    for (const fault of await faults) expect(fault).toMatchObject({ code: 'CANCELLED', executed: 'unknown' });
  });
});
