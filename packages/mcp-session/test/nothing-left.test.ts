import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from '@jest/globals';
import { HeldSession } from '@portico/mcp-session';
import { startLegacyHttpServer } from '@portico/testkit';
import { call, overHttp, soon, until } from './sessions.js';

/** The smallest MCP server there is, so that a cycle costs little: it answers by what a line contains. */
const TINY = `
while read -r line; do
  id="\${line#*\\"id\\":}"; id="\${id%%,*}"
  case "$line" in
    *server/discover*) echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no"}}' ;;
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}' ;;
    *tools/call*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[]}}' ;;
  esac
done`;

/** Processes that this one started and that have not ended. */
const children = (): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`);
    } catch {
      return false;
    }
  });
const openFiles = (): number => readdirSync('/proc/self/fd').length;
const resources = (): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

describe('[UP-9] connecting and disconnecting', () => {
  it('150 times over stdio leaves no process, socket, file or timer', async () => {
    const cycle = async (): Promise<void> => {
      const session = new HeldSession(
        { transport: 'stdio', command: '/bin/sh', args: ['-c', TINY], env: {} },
        { name: 'tiny' },
      );
      await session.callTool(call('any'), { signal: soon() });
      await session.close();
    };
    await cycle();
    await until(() => children().length === 0);
    const [files, before] = [openFiles(), resources()];
    for (let n = 0; n < 30; n++) await Promise.all([1, 2, 3, 4, 5].map(cycle));
    await until(() => children().length === 0);
    await until(() => openFiles() <= files);
    await until(() => Object.entries(resources()).every(([kind, count]) => count <= (before[kind] ?? 0)));
  });

  it('150 times over HTTP leaves no socket, session, file or timer', async () => {
    const server = await startLegacyHttpServer();
    try {
      const cycle = async (): Promise<void> => {
        const session = new HeldSession(overHttp(server.url), { name: 'web' });
        await session.callTool(call('echo'), { signal: soon() });
        await session.close();
      };
      await cycle();
      await until(() => server.connections() === 0);
      const [files, before] = [openFiles(), resources()];
      for (let n = 0; n < 30; n++) await Promise.all([1, 2, 3, 4, 5].map(cycle));
      await until(() => server.connections() === 0);
      await until(() => openFiles() <= files);
      await until(() => Object.entries(resources()).every(([kind, count]) => count <= (before[kind] ?? 0)));
    } finally {
      await server.close();
    }
  });
});
