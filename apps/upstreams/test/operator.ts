import { serverCalls } from '@portico/contracts';
import type { ServerChange, ServerState } from '@portico/contracts';
import { runUpstreams } from './running.js';

/** Real upstreams, and what an operator may ask of them. */
export async function runOperated(...given: Parameters<typeof runUpstreams>) {
  const running = await runUpstreams(...given);
  const { bus } = running;
  const list = () => bus.ask(serverCalls.list, {});
  return {
    running,
    close: () => running.close(),
    list,
    named: async (name: string): Promise<ServerState> =>
      (await list()).servers.find((server) => server.name === name) as ServerState,
    names: async () => (await list()).servers.map(({ name }) => name),
    catalog: async () => (await bus.ask(serverCalls.catalog, {})).servers,
    save: (name: string, entry: unknown) => bus.ask(serverCalls.save, { name, entry }),
    remove: (name: string) => bus.ask(serverCalls.delete, { name }),
    toggle: (name: string, enabled: boolean) => bus.ask(serverCalls.toggle, { name, enabled }),
    hide: (name: string, tool: string, hidden = true) => bus.ask(serverCalls.tool, { name, tool, hidden }),
    test: (name: string) => bus.ask(serverCalls.test, { name }),
    prewarm: () => bus.ask(serverCalls.prewarm, {}),
  };
}

export const codeOf = (change: ServerChange): string => (change.ok ? 'ok' : change.error.code);
