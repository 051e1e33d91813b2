import {
  deleteServer,
  hideTool,
  listKnownServers,
  listServers,
  prewarmServers,
  saveServer,
  testServer,
  toggleServer,
} from '@portico/contracts';
import type { ServerChange, ServerState } from '@portico/contracts';
import { runUpstreams } from './running.js';

/** Real upstreams, and what an operator may ask of them. */
export async function runOperated(...given: Parameters<typeof runUpstreams>) {
  const running = await runUpstreams(...given);
  const { bus } = running;
  const list = () => bus.ask(listServers, {});
  return {
    running,
    close: () => running.close(),
    list,
    named: async (name: string): Promise<ServerState> =>
      (await list()).servers.find((server) => server.name === name) as ServerState,
    names: async () => (await list()).servers.map(({ name }) => name),
    catalog: async () => (await bus.ask(listKnownServers, {})).servers,
    save: (name: string, entry: unknown) => bus.ask(saveServer, { name, entry }),
    remove: (name: string) => bus.ask(deleteServer, { name }),
    toggle: (name: string, enabled: boolean) => bus.ask(toggleServer, { name, enabled }),
    hide: (name: string, tool: string, hidden = true) => bus.ask(hideTool, { name, tool, hidden }),
    test: (name: string) => bus.ask(testServer, { name }),
    prewarm: () => bus.ask(prewarmServers, {}),
  };
}

export const codeOf = (change: ServerChange): string => (change.ok ? 'ok' : change.error.code);
