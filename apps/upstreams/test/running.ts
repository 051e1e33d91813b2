import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { memoryBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { callTool, describeSource } from '@portico/contracts';
import type { CataloguePage, SourceAddress, ToolResult } from '@portico/contracts';
import { createLog } from '@portico/observe';
import type { Log } from '@portico/observe';
import { readConfig, startUpstreams } from '@portico/upstreams';
import type { UpstreamsConfig } from '@portico/upstreams';

export const silent = createLog({ name: 'upstreams', level: 'silent' });

/** Real upstreams on a bus of their own, in a folder of their own. */
export interface Running {
  readonly bus: Bus;
  readonly folder: string;
  /** What they were configured with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  describe(source: SourceAddress): Promise<CataloguePage>;
  call(source: SourceAddress, tool: string, args?: Record<string, unknown>): Promise<ToolResult>;
  /** Ends them, and leaves bus and folder as they are. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A configuration for which the `mcp.json` of `folder` is the one that may be there, and not that of whoever runs the tests. */
export function configOf(env: Readonly<Record<string, string | undefined>>, folder: string): UpstreamsConfig {
  const config = readConfig(env);
  const { optional } = config.serversFile;
  return optional ? { ...config, serversFile: { path: join(folder, 'mcp.json'), optional } } : config;
}

/** `servers`: the content of `mcp.json`; without it the built-in entries are served. */
export async function runUpstreams(
  servers?: Record<string, unknown>,
  env: Record<string, string> = {},
  log: Log = silent,
): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-upstreams-'));
  const bus = memoryBus({ log });
  const file = join(folder, 'mcp.json');
  if (servers !== undefined) await writeFile(file, JSON.stringify({ mcpServers: servers }));
  const given = {
    PATH: process.env['PATH'],
    PORTICO_HOME: join(folder, 'home'),
    WORKSPACE: join(folder, 'workspace'),
    ...(servers !== undefined && { MCP_SERVERS_FILE: file }),
    ...env,
  };
  const upstreams = await startUpstreams(bus, configOf(given, folder), log).catch(async (error: unknown) => {
    await rm(folder, { recursive: true });
    throw error;
  });
  return {
    bus,
    folder,
    env: given,
    stop: () => upstreams.close(),
    describe: (source) => bus.ask(describeSource(source), {}),
    call: (source, tool, args = {}) => bus.ask(callTool(source), { tool, arguments: args }, { deadlineMs: 20_000 }),
    close: async () => {
      await upstreams.close();
      await bus.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until it is so; fails with the last thing that was not so after 10 s. */
export async function eventually(expectation: () => void | Promise<void>): Promise<void> {
  const end = performance.now() + 10_000;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(20);
    }
  }
}

/** Runs, and is not only waiting for its parent to notice that it has ended. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
