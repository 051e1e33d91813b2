import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { resolve } = createRequire(import.meta.url);

export interface PublishedTool {
  readonly name: string;
}

/** The program of a reference server, such as `server-memory`. */
export const programOf = (server: string): string => resolve(`@modelcontextprotocol/${server}/dist/index.js`);

export const byName = (tools: readonly PublishedTool[]): PublishedTool[] =>
  [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));

/** What a server publishes when it is asked over stdio without anything of ours between. */
export async function published(
  server: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<PublishedTool[]> {
  const child = spawn(process.execPath, [programOf(server), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  say({ id: 1, method: 'initialize', params });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line) as { id?: number; result?: { tools: PublishedTool[] } };
      if (id === 1) {
        say({ method: 'notifications/initialized' });
        say({ id: 2, method: 'tools/list' });
      }
      if (id === 2) return result!.tools;
    }
  } finally {
    child.kill('SIGKILL');
  }
  throw new Error(`${server} ended without an answer`);
}
